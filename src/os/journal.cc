#include "os/journal.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include <fmt/format.h>

namespace muster::os {
namespace {

// ext4 may have no journal. The kernel lists journals as DEVICE-INODE.
bool HasJournal(dev_t device) {
  std::error_code error;
  const auto link = std::filesystem::read_symlink(
      fmt::format("/sys/dev/block/{}:{}", major(device), minor(device)), error);
  if (error) return false;
  const std::string prefix = link.filename().string() + "-";
  for (const auto& entry : std::filesystem::directory_iterator("/proc/fs/jbd2", error)) {
    if (entry.path().filename().string().starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

bool JournalKeepsOrder(int fd) {
  struct statfs system{};
  struct stat info{};
  if (::fstatfs(fd, &system) != 0 || ::fstat(fd, &info) != 0) return false;
  if (system.f_type == XFS_SUPER_MAGIC) return true;
  return system.f_type == EXT4_SUPER_MAGIC && HasJournal(info.st_dev);
}

}  // namespace muster::os
