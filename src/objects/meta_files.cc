#include "objects/meta_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include <fmt/format.h>

namespace muster::objects {
namespace {

constexpr const char* kAttribute = "user.muster";
constexpr size_t kUsual = 512, kLargest = 64 << 10;

int64_t MtimeNs(const struct stat& info) {
  return info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
}

std::string NameFor(const struct stat& info) {
  return fmt::format("{:x}-{:x}-{:x}", info.st_ino, MtimeNs(info), info.st_size);
}

std::string ReadAttribute(int fd) {
  for (const size_t size : {kUsual, kLargest}) {
    std::string text(size, 0);
    const ssize_t count = ::fgetxattr(fd, kAttribute, text.data(), text.size());
    if (count >= 0) {
      text.resize(static_cast<size_t>(count));
      return text;
    }
    if (errno != ERANGE) break;
  }
  return {};
}

std::string ReadBeside(const Folder& folder, const struct stat& info) {
  const auto file = folder.Open(NameFor(info), O_RDONLY);
  if (!file) return {};
  std::string text(kLargest, 0);
  const ssize_t count = ::read(file->get(), text.data(), text.size());
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

// The file of an appended object may be longer than the acknowledged size.
bool BelongsTo(const ObjectMeta& meta, const struct stat& info) {
  if (meta.appendable) return info.st_size >= meta.size;
  return meta.size == info.st_size && meta.mtime_ns == MtimeNs(info);
}

}  // namespace

Result<MetaFiles> MetaFiles::Open(Folder folder) {
  MetaFiles files(std::move(folder));
  const int own = ::openat(files.folder_.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own >= 0 ? ::fdopendir(own) : nullptr,
                                                   ::closedir);
  if (!stream) return FailErrno(errno, "read the folder of metadata");
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] != '.') files.in_use_ = true;
  }
  return files;
}

Result<std::vector<os::Fd>> MetaFiles::Attach(int fd, ObjectMeta& meta) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return FailErrno(errno, "examine an object's file");
  if (!meta.appendable) meta.size = info.st_size;
  meta.mtime_ns = MtimeNs(info);
  const std::string text = WriteMeta(meta);
  if (text.size() > kLargest) {
    return Fail(Code::kTooLarge, fmt::format("an object's metadata is above {} bytes", kLargest));
  }
  if (::fsetxattr(fd, kAttribute, text.data(), text.size(), 0) == 0) {
    if (in_use_) ::unlinkat(folder_.fd(), NameFor(info).c_str(), 0);
    return std::vector<os::Fd>();
  }
  const int cause = errno;
  if (cause != ENOTSUP && cause != ENOSPC && cause != E2BIG && cause != ERANGE && cause != EPERM) {
    return FailErrno(cause, "write an object's metadata");
  }
  auto synced = AttachBeside(info, text);
  if (synced) ::fremovexattr(fd, kAttribute);  // an older attribute would have precedence
  return synced;
}

Result<std::vector<os::Fd>> MetaFiles::AttachBeside(const struct stat& info,
                                                    const std::string& text) {
  in_use_ = true;
  MUSTER_ASSIGN(os::Fd file, folder_.Open(NameFor(info), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  MUSTER_TRY(os::WriteAll(file.get(), text));
  std::vector<os::Fd> synced;
  synced.push_back(std::move(file));
  synced.emplace_back(::fcntl(folder_.fd(), F_DUPFD_CLOEXEC, 0));
  return synced;
}

Result<ObjectMeta> MetaFiles::Load(int fd) const {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return FailErrno(errno, "examine an object's file");
  return Load(fd, info);
}

ObjectMeta MetaFiles::Load(int fd, const struct stat& info) const {
  std::string text = ReadAttribute(fd);
  if (text.empty() && in_use_) text = ReadBeside(folder_, info);
  auto meta = text.empty() ? std::nullopt : ReadMeta(text);
  ObjectMeta seen;
  if (meta && BelongsTo(*meta, info)) {
    seen = std::move(*meta);
  } else {
    seen.size = info.st_size;
    seen.mtime_ns = MtimeNs(info);
  }
  if (seen.etag.empty()) seen.etag = IdentityEtag(info.st_ino, seen.mtime_ns, seen.size);
  return seen;
}

void MetaFiles::Forget(int fd) {
  struct stat info{};
  if (!in_use_ || ::fstat(fd, &info) != 0) return;
  ::unlinkat(folder_.fd(), NameFor(info).c_str(), 0);
}

}  // namespace muster::objects
