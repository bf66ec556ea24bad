#include "transfer/worker.h"

#include <fcntl.h>

#include <cerrno>

namespace muster::transfer {

constexpr size_t kBuffer = 256 << 10;

Worker::Worker(Session& its_session)
    : session(its_session),
      hand(its_session.NextHand()),
      buffer(kBuffer, '\0'),
      random_(std::random_device()()) {}

Result<S3Client*> Worker::StoreFor(const std::string& profile) {
  auto& client = stores_[profile];
  if (!client) {
    MUSTER_ASSIGN(auto store, session.stores.For(profile));
    client = std::make_unique<S3Client>(std::move(store), session.clock);
  }
  return client.get();
}

Result<http::Client*> Worker::HostFor(const std::string& origin) {
  auto& client = hosts_[origin];
  if (!client) {
    MUSTER_ASSIGN(client, http::Client::Create({.url = origin, .token = {}, .ca_file = {}}));
  }
  return client.get();
}

Result<int> Worker::Spool() {
  if (!spool_) {
    const os::Path folder = std::filesystem::temp_directory_path();
    MUSTER_ASSIGN(spool_, os::Open(folder, O_TMPFILE | O_RDWR, 0600));
  }
  if (::ftruncate(spool_.get(), 0) != 0) return FailErrno(errno, "empty a temporary file");
  return spool_.get();
}

bool Worker::Mend(const Trouble& trouble, Store* store, int tries) {
  const double chance =
      static_cast<double>(random_() - std::minstd_rand::min()) /
      (static_cast<double>(std::minstd_rand::max() - std::minstd_rand::min()) + 1);
  const Decision decision = Decide(trouble, tries, chance, session.options.retry);
  switch (decision.remedy) {
    case Remedy::kGiveUp:
    case Remedy::kBeginAnew:
      return false;
    case Remedy::kSetClock:
      if (store == nullptr) return false;
      store->SetSkew(trouble.server_wall_ms - session.clock.WallMs());
      break;
    case Remedy::kNewKeys:
      if (store == nullptr) return false;
      store->RenewKeys();
      break;
    case Remedy::kTryAgain:
      break;
  }
  session.Retried();
  return session.Sleep(decision.wait_ms);
}

}  // namespace muster::transfer
