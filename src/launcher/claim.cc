#include "launcher/claim.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

// Returns 0 or errno. Network file systems lack an exclusive rename, but all have an exclusive
// link.
int RenameExclusively(const os::Path& from, const os::Path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

}  // namespace

Result<std::optional<os::Fd>> ClaimRecord(const os::Path& node_dir) {
  const os::Path record = node_dir / "record";
  if (access(record.c_str(), F_OK) == 0) return std::nullopt;
  const os::Path draft = node_dir / os::TemporaryName();
  MUSTER_ASSIGN(os::Fd file, os::Open(draft, O_WRONLY | O_APPEND | O_CREAT | O_EXCL));
  const auto locked = os::TryLock(file.get());
  if (locked && *locked) {
    const int error = RenameExclusively(draft, record);
    if (error == 0) return file;
    unlink(draft.c_str());
    if (error == EEXIST) return std::nullopt;
    return FailErrno(error, fmt::format("create {}", record.string()));
  }
  unlink(draft.c_str());
  if (!locked) return std::unexpected(locked.error());
  return Fail(Code::kConflict,
              fmt::format("cannot lock {}: another process holds it", draft.string()));
}

}  // namespace muster::launcher
