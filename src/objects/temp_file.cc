#include "objects/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace muster::objects {
namespace {

// Large files begin to be written while more of them comes, so that the sync at the end is short.
constexpr int64_t kWriteBehind = 8 << 20;

}  // namespace

Result<TempFile> TempFile::Make(std::shared_ptr<const Folder> folder) {
  std::string name = os::RandomHex(12);
  MUSTER_ASSIGN(os::Fd fd, folder->Open(name, O_RDWR | O_CREAT | O_EXCL, 0644));
  return TempFile(std::move(folder), std::move(fd), std::move(name));
}

TempFile TempFile::Adopt(const Folder& folder, os::Fd fd, std::string name) {
  TempFile file({std::shared_ptr<void>(), &folder}, std::move(fd), std::move(name));
  file.adopted_ = true;
  return file;
}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  std::swap(size_, other.size_);
  std::swap(adopted_, other.adopted_);
  return *this;
}

TempFile::~TempFile() {
  if (fd_ && !name_.empty() && !adopted_) ::unlinkat(folder_->fd(), name_.c_str(), 0);
}

Status TempFile::Write(std::string_view bytes) {
  MUSTER_TRY(os::WriteAll(fd_.get(), bytes));
  const int64_t before = size_;
  size_ += static_cast<int64_t>(bytes.size());
  if (before / kWriteBehind != size_ / kWriteBehind) {
    const int64_t end = size_ / kWriteBehind * kWriteBehind;
    (void)::sync_file_range(fd_.get(), end - kWriteBehind, kWriteBehind, SYNC_FILE_RANGE_WRITE);
  }
  return {};
}

os::Fd TempFile::Duplicate() const { return os::Fd(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace muster::objects
