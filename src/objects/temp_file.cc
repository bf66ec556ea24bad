#include "objects/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace muster::objects {
namespace {

constexpr int kNameBytes = 12;

// Needed to link an unnamed file to a name.
bool HasDescriptorPaths() {
  static const bool has = ::access("/proc/self/fd", F_OK) == 0;
  return has;
}

}  // namespace

Result<TempFile> TempFile::Make(std::shared_ptr<const Folder> folder, DirectWrites* direct,
                                std::optional<int64_t> length) {
  std::string name;
  os::Fd fd;
  if (HasDescriptorPaths()) {
    fd = os::Fd(::openat(folder->fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
  }
  if (!fd) {  // unsupported by the file system, or another error that MakeName reports
    name = os::RandomHex(kNameBytes);
    MUSTER_ASSIGN(fd, folder->Open(name, O_RDWR | O_CREAT | O_EXCL, 0644));
  }
  return TempFile(std::move(folder), std::move(fd), std::move(name), direct, length);
}

TempFile TempFile::Adopt(const Folder& folder, os::Fd fd, std::string name) {
  TempFile file({std::shared_ptr<void>(), &folder}, std::move(fd), std::move(name), nullptr, {});
  file.adopted_ = true;
  return file;
}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(writer_, other.writer_);
  std::swap(adopted_, other.adopted_);
  return *this;
}

TempFile::~TempFile() {
  if (fd_ && !name_.empty() && !adopted_) ::unlinkat(folder_->fd(), name_.c_str(), 0);
}

int TempFile::MoveTo(int folder, const std::string& leaf) {
  if (name_.empty()) {
    if (os::NameFile(fd_.get(), folder, leaf.c_str()) == 0) return 0;
    if (errno != EEXIST || MakeName() != 0) return -1;
  }
  if (::renameat(folder_->fd(), name_.c_str(), folder, leaf.c_str()) != 0) return -1;
  name_.clear();
  return 0;
}

// Only a named file can replace another by rename.
int TempFile::MakeName() {
  std::string name = os::RandomHex(kNameBytes);
  if (os::NameFile(fd_.get(), folder_->fd(), name.c_str()) != 0) return -1;
  name_ = std::move(name);
  return 0;
}

os::Fd TempFile::Duplicate() const { return os::Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace muster::objects
