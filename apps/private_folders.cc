#include "apps/private_folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/log.h"
#include "os/fd.h"

namespace muster::apps {
namespace {

constexpr const char* kFolders[] = {"cache", "code", "jobs", "objects"};
constexpr mode_t kOthers = 0007, kOwnerOnly = 0700;

Status Close(const os::Path& folder) {
  if (::mkdir(folder.c_str(), kOwnerOnly) == 0) return {};
  if (errno != EEXIST) return FailErrno(errno, "make " + folder.string());
  // A link or a file in its place is the business of the code that opens it.
  const os::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0 || (info.st_mode & kOthers) == 0) return {};
  const mode_t mode = info.st_mode & 07777 & ~kOthers;
  if (::fchmod(fd.get(), mode) != 0) {
    LogWarning("other users can read {}: {}", folder.string(),
               FailErrno(errno, "chmod").error().text);
  } else {
    LogInfo("other users could read {}; they no longer can", folder.string());
  }
  return {};
}

}  // namespace

Status MakePrivateFolders(const os::Path& data) {
  for (const char* name : kFolders) MUSTER_TRY(Close(data / name));
  return {};
}

}  // namespace muster::apps
