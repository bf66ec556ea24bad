// Uploads to an http(s) URL, for example one that is signed for writing, with one PUT.
#include <fcntl.h>

#include <fmt/format.h>

#include "transfer/object_copy.h"

namespace muster::transfer {
namespace {

class PutAddress final : public ObjectCopy {
 public:
  PutAddress(Session& session, Item item, Target target)
      : session_(session), item_(std::move(item)), target_(std::move(target)) {}

  Outcome<Work> Begin(Worker& worker) override;
  Outcome<void> Move(Worker& worker, const Part& part) override;
  // A URL guarantees nothing about the stored bytes; only their number is verified.
  Outcome<Check> Finish(Worker&) override { return Check::kLength; }

 private:
  Session& session_;
  Item item_;
  const Target target_;
  os::Fd file_;
};

Outcome<ObjectCopy::Work> PutAddress::Begin(Worker& worker) {
  if (item_.at.kind == Location::Kind::kFile) {
    MUSTER_ASSIGN(OpenedFile opened, OpenSource(item_.at.path));
    file_ = std::move(opened.fd);
    item_.size = opened.size;
  } else {
    MUSTER_ASSIGN(file_,
                  os::Open(std::filesystem::temp_directory_path(), O_TMPFILE | O_RDWR, 0600));
    MUSTER_ASSIGN(const Spooled all, FetchToFile(worker, item_, {0, -1, item_.etag}, file_.get()));
    item_.size = all.file.length;
  }
  return Work{{item_.size, item_.size, 1}, {1}};
}

Outcome<void> PutAddress::Move(Worker& worker, const Part& part) {
  MUSTER_ASSIGN(http::Client* const client, worker.HostFor(target_.at.origin));
  http::Call call;
  call.method = "PUT";
  call.target = target_.at.target;
  call.file = http::FileRange{file_.get(), 0, part.length, Show(item_.at)};
  call.sent = [&](int64_t bytes) { return session_.Moved(bytes); };
  return worker.Try(nullptr, [&]() -> Outcome<void> {
    MUSTER_ASSIGN(const http::Response response, client->Do(call));
    if (response.status / 100 == 2) return {};
    return std::unexpected(TroubleOf(response, "write " + Show(target_.at)));
  });
}

}  // namespace

std::unique_ptr<ObjectCopy> MakePutAddress(Session& session, Item item, Target target) {
  return std::make_unique<PutAddress>(session, std::move(item), std::move(target));
}

}  // namespace muster::transfer
