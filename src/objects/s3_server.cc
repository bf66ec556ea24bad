#include "objects/s3_server.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"

namespace muster::objects {
namespace {

constexpr int kMostThreads = 8;
constexpr int kPoolThreads = 4;
constexpr int64_t kDrainMs = 2'000;
constexpr int64_t kSweepEveryMs = 3'600'000;
constexpr int64_t kAbandonedMs = int64_t(7) * 24 * 3'600'000;
constexpr int64_t kForgottenMs = int64_t(24) * 3'600'000;

// Jobs that outlive a server find the next server at the same address.
int LastPort(const os::Path& file) {
  const auto text = os::ReadFile(file, 64);
  const auto port = text ? ParseInt(Trim(*text)) : std::nullopt;
  return port && *port > 0 && *port <= 65535 ? static_cast<int>(*port) : 0;
}

}  // namespace

Result<std::unique_ptr<S3Server>> S3Server::Open(S3Options options) {
  std::unique_ptr<S3Server> server(new S3Server(std::move(options)));
  if (auto status = server->OpenStore(); !status) {
    Error error = std::move(status).error();
    error.text = fmt::format("cannot open the object store in {}: {}",
                             server->options_.root.string(), error.text);
    if (error.next.empty())
      error.next = "it must be a folder of the server's user; move away what is in its place";
    return std::unexpected(std::move(error));
  }
  MUSTER_TRY(server->Listen());
  return server;
}

Result<std::unique_ptr<S3Server>> S3Server::Start(S3Options options) {
  MUSTER_ASSIGN(auto server, Open(std::move(options)));
  server->Serve();
  return server;
}

Status S3Server::OpenStore() {
  const os::Path own = options_.root / ".muster";
  MUSTER_ASSIGN(store_, ObjectStore::Open(options_.root, options_.sync));
  MUSTER_ASSIGN(keys_, KeyRing::Open(own / "keys.json"));
  MUSTER_ASSIGN(uploads_, Uploads::Open(*store_, own / "uploads"));
  MUSTER_TRY(os::MakeDirs(own / "buckets", 0700));
  settings_ = std::make_unique<BucketSettings>(own / "buckets");
  MUSTER_ASSIGN(const Folder own_folder, Folder::Open(own));
  MUSTER_ASSIGN(inbox_, Inbox::Open(options_.root, own_folder));
  pool_ = std::make_unique<os::Pool>(kPoolThreads);
  parts_ = std::make_unique<S3Parts>(*store_, *uploads_, *settings_, *inbox_, *keys_, *pool_,
                                     clock_, options_.region, options_.domains);
  parts_->accept_v2 = options_.accept_v2;
  service_ = std::make_unique<S3Service>(*parts_);
  return {};
}

Status S3Server::Listen() {
  const os::Path port_file = options_.root / ".muster/port";
  http::ServerOptions http{.host = options_.host,
                           .port = options_.port != 0 ? options_.port : LastPort(port_file),
                           .tls_certificate = options_.tls_certificate,
                           .tls_key = options_.tls_key};
  auto first = http::Server::Create(http, *service_);
  if (!first && options_.port == 0 && http.port != 0) {
    http.port = 0;
    first = http::Server::Create(http, *service_);
  }
  if (!first) return std::unexpected(first.error());
  servers_.push_back(std::move(*first));
  parts_->port = servers_[0]->port();
  const std::string port = std::to_string(servers_[0]->port()) + "\n";
  // A preference for the next start; a full disk must not prevent this one.
  if (const auto kept = os::WriteFileAtomic(port_file, port, 0600, false); !kept)
    LogWarning("the next start may listen elsewhere: {}", kept.error().text);
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = options_.threads > 0 ? options_.threads : std::clamp(cpus, 1, kMostThreads);
  for (int i = 1; i < threads; ++i) {
    MUSTER_ASSIGN(auto more, servers_[0]->Another());
    servers_.push_back(std::move(more));
  }
  return {};
}

void S3Server::Serve() {
  Sweep();
  for (const auto& server : servers_) {
    threads_.emplace_back([raw = server.get()] { raw->Run(); });
  }
}

// Runs before the server starts, and regularly on its loop.
void S3Server::Sweep() {
  pool_->Run([this] {
    uploads_->AbortAbandoned(clock_.WallMs() - kAbandonedMs);
    inbox_->RemoveAbandoned(clock_.WallMs() - kForgottenMs);
  });
  servers_[0]->loop().After(kSweepEveryMs, [this] { Sweep(); });
}

S3Server::~S3Server() {
  for (const auto& server : servers_) {
    server->loop().Post([raw = server.get()] { raw->Shutdown(kDrainMs); });
  }
  threads_.clear();
  // Remaining tasks answer to loops that have stopped but still exist.
  pool_.reset();
  if (store_) store_->commits().Drain();  // there is none when the store could not be opened
}

}  // namespace muster::objects
