#include "transfer/near_store.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::transfer {
namespace {

constexpr int64_t kLongestProof = 256;
constexpr int kNameBytes = 12;

// Opens without following links or ".." out of the folder, whatever path the server returned.
os::Fd OpenBeneath(int folder, const std::string& path, int flags) {
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return os::Fd(static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
}

bool IsOurs(int fd) {
  struct stat info = {};
  return ::fstat(fd, &info) == 0 && info.st_uid == ::geteuid();
}

}  // namespace

std::unique_ptr<NearStore> NearStore::Open(const NearAnswer& told) {
  if (!told.folder.starts_with('/') || told.proof.empty()) return nullptr;
  const os::Path folder = told.folder;
  const auto proof = os::ReadFile(folder / ".muster/near", kLongestProof);
  if (!proof || *proof != told.proof) return nullptr;
  auto root = os::Open(folder, O_RDONLY | O_DIRECTORY);
  auto inbox = os::Open(folder / ".muster/inbox", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!root || !inbox || !IsOurs(root->get()) || !IsOurs(inbox->get())) return nullptr;
  if (::faccessat(inbox->get(), ".", W_OK | X_OK, AT_EACCESS) != 0) return nullptr;
  // Kernels without openat2 cannot open a path from the server safely.
  if (!OpenBeneath(root->get(), ".muster", O_RDONLY | O_DIRECTORY)) return nullptr;
  std::unique_ptr<NearStore> store(new NearStore(std::move(*root), std::move(*inbox)));
  if (!store->FolderOf(0)) return nullptr;
  return store;
}

// A folder for this copy only: the file system allocates near other files of the same folder.
Result<const NearStore::DraftFolder*> NearStore::FolderOf(unsigned hand) {
  const MutexLock lock(mutex_);
  DraftFolder& folder = folders_[hand];
  if (folder.fd) return &folder;
  std::string name = os::RandomHex(kNameBytes);
  if (::mkdirat(inbox_.get(), name.c_str(), 0700) != 0) {
    return FailErrno(errno, "write into the store's inbox");
  }
  folder.name = std::move(name);
  folder.fd = OpenBeneath(inbox_.get(), folder.name, O_RDONLY | O_DIRECTORY);
  if (!folder.fd) return FailErrno(errno, "open a folder of the store's inbox");
  return &folder;
}

// A folder with drafts that a later run resumes is kept.
NearStore::~NearStore() {
  const MutexLock lock(mutex_);
  for (const auto& [hand, folder] : folders_) {
    if (!folder.name.empty()) ::unlinkat(inbox_.get(), folder.name.c_str(), AT_REMOVEDIR);
  }
}

Result<os::Fd> NearStore::OpenObject(const std::string& bucket, const NearFile& file,
                                     int64_t size) const {
  const std::string path = bucket + "/" + file.path;
  os::Fd fd = OpenBeneath(root_.get(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return FailErrno(errno, "open " + Printable(path));
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return FailErrno(errno, "look at " + Printable(path));
  const int64_t mtime_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
  if (!S_ISREG(info.st_mode) || info.st_size < size || mtime_ns != file.mtime_ns) {
    return Fail(Code::kConflict, Printable(path) + " is another object by now");
  }
  return fd;
}

Result<NearStore::Draft> NearStore::NewDraft(unsigned hand) {
  MUSTER_ASSIGN(const DraftFolder* const folder, FolderOf(hand));
  const std::string leaf = fmt::format("{:0{}x}", ++made_, 2 * kNameBytes);
  os::Fd fd(::openat(folder->fd.get(), leaf.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!fd) return FailErrno(errno, "write into the store's inbox");
  return Draft{std::move(fd), folder->name + "/" + leaf};
}

Result<NearStore::Draft> NearStore::OpenDraft(const std::string& name) const {
  os::Fd fd = OpenBeneath(inbox_.get(), name, O_RDWR);
  if (!fd) return FailErrno(errno, "open a file of the store's inbox");
  return Draft{std::move(fd), name};
}

void NearStore::Discard(const std::string& name) const {
  ::unlinkat(inbox_.get(), name.c_str(), 0);
}

}  // namespace muster::transfer
