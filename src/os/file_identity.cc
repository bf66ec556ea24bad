#include "os/file_identity.h"

#include <sys/stat.h>

#include <cerrno>

#include <fmt/format.h>

namespace muster::os {

Result<FileIdentity> IdentityOf(const Path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return FailErrno(errno, "look at " + path.string());
  return FileIdentity{info.st_dev, info.st_ino};
}

Result<FileIdentity> IdentityOf(int fd) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return FailErrno(errno, "look at an open file");
  return FileIdentity{info.st_dev, info.st_ino};
}

Status FileGuard::Check() const {
  for (const auto& [path, identity] : files_) {
    const auto now = IdentityOf(path);
    if (now && *now == identity) continue;
    const bool missing = !now && now.error().code == Code::kNotFound;
    if (!now && !missing) return std::unexpected(now.error());
    return Fail(Code::kIo,
                fmt::format("{} was {} while the server uses it; nothing is accepted any more",
                            path.string(), missing ? "removed" : "replaced"),
                "move the original file back, or stop the server and start it again");
  }
  return {};
}

}  // namespace muster::os
