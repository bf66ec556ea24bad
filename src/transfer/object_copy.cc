#include "transfer/object_copy.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include <fmt/format.h>

#include "transfer/archive.h"
#include "transfer/fetch.h"

namespace muster::transfer {

namespace {

std::string IdentityOf(const struct stat& info) {
  return fmt::format("{} {}.{:09} {}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_ino);
}

}  // namespace

std::string FileIdentity(int fd) {
  struct stat info = {};
  return ::fstat(fd, &info) == 0 ? IdentityOf(info) : std::string();
}

Result<OpenedFile> OpenSource(const os::Path& path) {
  OpenedFile file;
  MUSTER_ASSIGN(file.fd, os::Open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info = {};
  if (::fstat(file.fd.get(), &info) != 0) return FailErrno(errno, "look at " + path.string());
  if (!S_ISREG(info.st_mode)) {
    return Fail(Code::kInvalid,
                fmt::format("cannot copy {}: it is not a regular file", path.string()));
  }
  file.size = info.st_size;
  file.identity = IdentityOf(info);
  return file;
}

Outcome<Spooled> FetchToFile(Worker& worker, const Item& item, const GetRange& range, int fd) {
  MUSTER_ASSIGN(Store* const store, StoreOf(worker, item));
  return worker.Try(store, [&]() -> Outcome<Spooled> {
    if (::ftruncate(fd, 0) != 0) {
      MUSTER_TRY(Status(FailErrno(errno, "empty a temporary file")));
    }
    int64_t end = 0;
    const Sink sink = [&](std::string_view bytes) -> Status {
      const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), end);
      if (n != static_cast<ssize_t>(bytes.size())) {
        return FailErrno(n < 0 ? errno : ENOSPC, "write a temporary file");
      }
      end += n;
      return {};
    };
    MUSTER_ASSIGN(Fetched fetched, Fetch(worker, item, range, std::nullopt, sink));
    Spooled spooled{{fd, 0, end, Show(item.at)}, Check::kLength, std::move(fetched.info.kept)};
    if (range.length < 0) {
      const ObjectInfo& info = fetched.info;
      MUSTER_ASSIGN(spooled.check, Judge(info.checksum, info.etag_is_md5 ? info.etag : "",
                                         fetched.kind, fetched.digest));
    }
    return spooled;
  });
}

Result<std::unique_ptr<ObjectCopy>> MakeObjectCopy(Session& session, const Item& item,
                                                   const Target& target) {
  using Kind = Location::Kind;
  if (target.at.kind == Kind::kFile) return MakeDownload(session, item, target);
  if (target.at.kind == Kind::kHttp) return MakePutAddress(session, item, target);
  if (item.at.kind == Kind::kObject) {
    MUSTER_ASSIGN(const auto from, session.stores.For(item.at.profile));
    MUSTER_ASSIGN(const auto to, session.stores.For(target.at.profile));
    if (from->profile().SameStore(to->profile())) return MakeServerCopy(session, item, target);
  }
  MUSTER_ASSIGN(const auto store, session.stores.For(target.at.profile));
  const auto near = item.at.kind == Kind::kFile ? store->near() : nullptr;
  if (near && FitsXml(target.at.key)) return MakeNearUpload(session, near, item, target);
  const bool in_archive = item.at.kind == Kind::kFile && item.size <= kLargestInArchive &&
                          session.options.shortcut && store->unpacks() &&
                          FitsArchive(target.at.key);
  if (in_archive) return MakeArchiveUpload(session, item, target);
  return MakeUpload(session, item, target);
}

}  // namespace muster::transfer
