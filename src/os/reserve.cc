#include "os/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace muster::os {
int ReserveBehind(int fd, int64_t bytes) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return errno;
  return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, info.st_size, bytes) == 0 ? 0 : errno;
}

void KeepReserve(const Path& folder, int64_t bytes) {
  const auto file = Open(folder / kReserveFile, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
  struct stat info{};
  if (!file || ::fstat(file->get(), &info) != 0 || info.st_size >= bytes) return;
  if (::fallocate(file->get(), 0, 0, bytes) != 0) (void)::ftruncate(file->get(), 0);
}

bool GiveUpReserve(int fd) {
  std::error_code error;
  Path folder = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  while (!error && folder.has_relative_path()) {
    folder = folder.parent_path();
    const auto size = FileSize(folder / kReserveFile);
    if (!size) continue;
    return *size > 0 && ::truncate((folder / kReserveFile).c_str(), 0) == 0;
  }
  return false;
}

}  // namespace muster::os
