#include "objects/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace muster::objects {

Result<TempFile> TempFile::Make(std::shared_ptr<const Folder> folder, DirectWrites* direct,
                                std::optional<int64_t> length) {
  std::string name = os::RandomHex(12);
  MUSTER_ASSIGN(os::Fd fd, folder->Open(name, O_RDWR | O_CREAT | O_EXCL, 0644));
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

os::Fd TempFile::Duplicate() const { return os::Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace muster::objects
