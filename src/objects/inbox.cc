#include "objects/inbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "base/log.h"
#include "objects/temp_folders.h"

namespace muster::objects {
namespace {

constexpr size_t kNameLength = 24;
constexpr int kProofBytes = 16;

bool IsPart(std::string_view name) {
  return name.size() == kNameLength && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// The name of a file, or of a file in a client's own folder.
bool IsName(std::string_view name) {
  const size_t slash = name.find('/');
  return slash == std::string_view::npos
             ? IsPart(name)
             : IsPart(name.substr(0, slash)) && IsPart(name.substr(slash + 1));
}

}  // namespace

Result<Inbox> Inbox::Open(const os::Path& root, const Folder& own) {
  MUSTER_ASSIGN(Folder folder, own.MakeSub("inbox", 0700));
  SpreadFolders(folder.fd());
  std::string proof = os::RandomHex(kProofBytes);
  MUSTER_TRY(os::WriteFileAtomic(root / ".muster/near", proof, 0600, false));
  std::error_code error;
  os::Path absolute = std::filesystem::canonical(root, error);
  if (error) return FailErrno(error.value(), "find " + root.string());
  return Inbox(std::move(absolute), std::move(folder), std::move(proof));
}

S3Result<TempFile> Inbox::Take(const std::string& name) const {
  if (!IsName(name)) return Refuse(S3Code::kNoSuchUpload);
  auto file = folder_.Open(name, O_RDWR | O_NONBLOCK | O_NOCTTY);
  if (!file) return Refuse(S3Code::kNoSuchUpload);
  struct stat info{};
  // A file with a second name could be changed later through that name.
  const bool good = ::fstat(file->get(), &info) == 0 && S_ISREG(info.st_mode) &&
                    info.st_nlink == 1 && info.st_uid == ::geteuid();
  if (!good) return Refuse(S3Code::kNoSuchUpload);
  return TempFile::Adopt(folder_, std::move(*file), name);
}

void Inbox::RemoveAbandoned(int64_t before_wall_ms) const {
  const int own = ::openat(folder_.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(own >= 0 ? ::fdopendir(own) : nullptr,
                                                   ::closedir);
  while (const dirent* entry = stream ? ::readdir(stream.get()) : nullptr) {
    struct stat info{};
    if (entry->d_name[0] == '.' ||
        ::fstatat(folder_.fd(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (info.st_mtim.tv_sec * 1000 >= before_wall_ms) continue;
    const auto gone = os::RemoveTree(root_ / ".muster/inbox" / entry->d_name);
    if (!gone) LogWarning("{}", gone.error().text);
  }
}

}  // namespace muster::objects
