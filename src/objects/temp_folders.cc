#include "objects/temp_folders.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace muster::objects {
namespace {

constexpr int kFilesAFolder = 500;

void RemoveContents(const os::Path& path) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
    std::filesystem::remove_all(entry.path(), ignored);
}

}  // namespace

Result<std::unique_ptr<TempFolders>> TempFolders::Open(Folder parent, const os::Path& path) {
  RemoveContents(path);
  SpreadFolders(parent.fd());
  return std::unique_ptr<TempFolders>(new TempFolders(std::move(parent)));
}

Result<std::shared_ptr<const Folder>> TempFolders::ForOneFile() {
  const MutexLock lock(mutex_);
  if (!current_ || files_ == kFilesAFolder) {
    MUSTER_ASSIGN(current_, MakeOne());
    files_ = 0;
  }
  ++files_;
  return current_;
}

Result<std::shared_ptr<const Folder>> TempFolders::MakeOne() const {
  const std::string name = os::RandomHex(12);
  MUSTER_ASSIGN(Folder folder, parent_->MakeSub(name, 0700));
  return std::shared_ptr<const Folder>(new Folder(std::move(folder)),
                                       [parent = parent_, name](const Folder* unused) {
                                         delete unused;
                                         ::unlinkat(parent->fd(), name.c_str(), AT_REMOVEDIR);
                                       });
}

void SpreadFolders(int folder) {
  int flags = 0;
  if (::ioctl(folder, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_TOPDIR_FL;
  (void)::ioctl(folder, FS_IOC_SETFLAGS, &flags);
}

}  // namespace muster::objects
