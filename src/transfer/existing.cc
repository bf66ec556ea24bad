#include "transfer/existing.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>

#include "transfer/lister.h"

namespace muster::transfer {
namespace {

std::optional<std::string> DigestOfFile(Worker& worker, const os::Path& path, s3::DigestKind kind) {
  const auto fd = os::Open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return std::nullopt;
  s3::Digest digest(kind);
  while (true) {
    const ssize_t n = ::read(fd->get(), worker.buffer.data(), worker.buffer.size());
    if (n < 0) return std::nullopt;
    if (n == 0) return digest.Finish();
    digest.Add({worker.buffer.data(), static_cast<size_t>(n)});
  }
}

// Whether a file has the bytes of an object. Nothing if the object has no usable checksum.
std::optional<bool> SameBytes(Worker& worker, const os::Path& file, const Location& object) {
  const auto client = worker.StoreFor(object.profile);
  if (!client) return std::nullopt;
  const auto head =
      worker.Try(&(*client)->store(), [&] { return (*client)->Head(object.bucket, object.key); });
  if (!head) return std::nullopt;
  if (head->checksum) {
    const auto digest = DigestOfFile(worker, file, head->checksum->kind);
    return digest && s3::Base64(*digest) == head->checksum->value;
  }
  if (!head->etag_is_md5) return std::nullopt;
  const auto md5 = DigestOfFile(worker, file, s3::DigestKind::kMd5);
  return md5 && s3::Hex(*md5) == head->etag;
}

}  // namespace

Result<ExistingNames> ListExisting(Worker& worker, const Location& destination,
                                   const Filter& filter) {
  ExistingNames names;
  MUSTER_TRY(ListIfThere(worker, destination, filter, [&](const Item& item) {
    names[item.name] = {item.size, item.mtime_ms, item.etag};
    return true;
  }));
  return names;
}

bool LooksUnchanged(const Item& source, const Existing& existing, Skip skip) {
  if (skip == Skip::kNever || source.size != existing.size) return false;
  return skip == Skip::kSameSize || existing.mtime_ms >= source.mtime_ms;
}

bool IsUnchanged(Worker& worker, const Item& source, const Location& destination,
                 const Existing& existing, Skip skip) {
  using Kind = Location::Kind;
  if (skip != Skip::kSameBytes || source.size != existing.size) {
    return LooksUnchanged(source, existing, skip);
  }
  std::optional<bool> same;
  if (source.at.kind == Kind::kFile && destination.kind == Kind::kObject) {
    same = SameBytes(worker, source.at.path, destination);
  } else if (source.at.kind == Kind::kObject && destination.kind == Kind::kFile) {
    same = SameBytes(worker, destination.path, source.at);
  } else if (!source.etag.empty() && source.etag == existing.etag) {
    same = true;
  }
  return same.value_or(LooksUnchanged(source, existing, skip));
}

}  // namespace muster::transfer
