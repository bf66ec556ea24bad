#include "objects/placement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "objects/key_path.h"

namespace muster::objects {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

S3Result<os::Fd> Duplicate(int fd) {
  os::Fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!copy) return std::unexpected(S3Error(FailErrno(errno, "keep a folder open").error()));
  return copy;
}

std::unexpected<S3Error> InTheWay(const std::string& name) {
  return Refuse(S3Code::kInvalidRequest,
                fmt::format("Something that is neither file nor folder stands in the way: {}.",
                            Printable(name)));
}

bool IsRegular(int folder, const std::string& name) {
  struct stat info{};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

// Descends the folders of a key, creates missing ones, and records which folders were changed.
class Descent {
 public:
  explicit Descent(os::Fd start) : at_(std::move(start)) {}

  int at() const { return at_.get(); }
  os::Fd TakeHere() { return std::move(at_); }
  std::vector<os::Fd> TakeChanged() {
    if (too_many_) (void)::syncfs(at_.get());
    return std::move(changed_);
  }

  // Enters the folder of one key component.
  S3Status Enter(std::string_view component) {
    const std::string path = PathOfKey(component);
    const auto names = Split(path, '/');
    MUSTER_ASSIGN(os::Fd holder, Duplicate(at_.get()));
    for (size_t i = 0; i + 1 < names.size(); ++i) MUSTER_TRY(EnterFolder(names[i]));
    os::Fd next(::openat(at_.get(), names.back().c_str(), kFolderFlags));
    if (!next && errno == ENOTDIR) {
      if (!IsRegular(at_.get(), names.back())) return InTheWay(names.back());
      MUSTER_TRY(MoveAside(holder, component, names.back()));
    }
    if (next) {
      at_ = std::move(next);
      return {};
    }
    return EnterFolder(names.back());
  }

  // Enters the folder that contains the last name of a component, and returns that name.
  S3Result<std::string> EnterHolder(std::string_view component, Form form) {
    const auto names = Split(PathOfKey(component, form), '/');
    for (size_t i = 0; i + 1 < names.size(); ++i) MUSTER_TRY(EnterFolder(names[i]));
    return names.back();
  }

 private:
  S3Status EnterFolder(const std::string& name) {
    os::Fd next(::openat(at_.get(), name.c_str(), kFolderFlags));
    if (!next && errno == ENOENT) {
      if (::mkdirat(at_.get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
        return std::unexpected(S3Error(FailErrno(errno, "make a folder").error()));
      }
      next = os::Fd(::openat(at_.get(), name.c_str(), kFolderFlags));
      if (next) Changed(std::exchange(at_, os::Fd()));
    }
    if (!next && (errno == ENOTDIR || errno == ELOOP)) return InTheWay(name);
    if (!next) return std::unexpected(S3Error(FailErrno(errno, "open a folder").error()));
    at_ = std::move(next);
    return {};
  }

  // The object's own name must become a folder: the object moves to its second name.
  S3Status MoveAside(const os::Fd& holder, std::string_view component, const std::string& name) {
    MUSTER_ASSIGN(os::Fd start, Duplicate(holder.get()));
    Descent beside(std::move(start));
    MUSTER_ASSIGN(const std::string new_name, beside.EnterHolder(component, Form::kBeside));
    if (::renameat(at_.get(), name.c_str(), beside.at(), new_name.c_str()) != 0) {
      return std::unexpected(S3Error(FailErrno(errno, "move an object aside").error()));
    }
    for (os::Fd& fd : beside.TakeChanged()) changed_.push_back(std::move(fd));
    changed_.push_back(std::move(beside.at_));
    return {};
  }

  // A key may have a thousand folders: above a limit of open descriptors, all are synced at once.
  void Changed(os::Fd folder) {
    constexpr size_t kMostKept = 32;
    if (changed_.size() >= kMostKept) {
      too_many_ = true;
    } else {
      changed_.push_back(std::move(folder));
    }
  }

  os::Fd at_;
  std::vector<os::Fd> changed_;
  bool too_many_ = false;
};

// The folder of the part before the key's last '/'.
S3Result<Descent> DescendTo(const Folder& bucket, std::string_view folders) {
  if (folders.empty()) {
    MUSTER_ASSIGN(os::Fd start, Duplicate(bucket.fd()));
    return Descent(std::move(start));
  }
  folders.remove_suffix(1);
  auto there = bucket.Open(PathOfKey(folders), O_RDONLY | O_DIRECTORY);
  if (there) return Descent(std::move(*there));
  MUSTER_ASSIGN(os::Fd start, Duplicate(bucket.fd()));
  Descent descent(std::move(start));
  for (const std::string& component : Split(folders, '/')) MUSTER_TRY(descent.Enter(component));
  return descent;
}

std::pair<std::string_view, std::string_view> SplitKey(std::string_view key) {
  const size_t slash = key.rfind('/');
  const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return {key.substr(0, begin), key.substr(begin)};
}

// Removes an old file under the second name of the key. Most keys have none.
void RemoveBeside(const Folder& bucket, std::string_view key, int folder, std::string_view last) {
  const std::string name = PathOfKey(last, Form::kBeside);
  if (name.find('/') == std::string::npos) {
    ::unlinkat(folder, name.c_str(), 0);
    return;
  }
  const auto [parent, leaf] = SplitPath(PathOfKey(key, Form::kBeside));
  if (const auto holder = bucket.Sub(parent)) ::unlinkat(holder->fd(), leaf.c_str(), 0);
}

// Removes folders that are empty now, innermost first. Returns the first one that stays, which must
// be synced.
S3Result<os::Fd> Prune(const Folder& bucket, std::string path) {
  if (path.empty()) return Duplicate(bucket.fd());
  MUSTER_ASSIGN(os::Fd at, bucket.Open(path, O_RDONLY | O_DIRECTORY));
  while (!path.empty()) {
    const auto [parent, name] = SplitPath(path);
    os::Fd above(::openat(at.get(), "..", kFolderFlags));
    if (!above || ::unlinkat(above.get(), name.c_str(), AT_REMOVEDIR) != 0) break;
    at = std::move(above);
    path = parent;
  }
  return at;
}

bool RemoveOne(const Folder& bucket, const std::string& path) {
  const auto [parent, name] = SplitPath(path);
  auto holder = parent.empty() ? Result<Folder>(std::unexpect) : bucket.Sub(parent);
  const int at = parent.empty() ? bucket.fd() : holder ? holder->fd() : -1;
  return at >= 0 && IsRegular(at, name) && ::unlinkat(at, name.c_str(), 0) == 0;
}

S3Result<PlacedFile> OpenBelow(const Folder& folder, const std::string& before,
                               std::string_view key, int flags) {
  // Looks at the first place again: the object may have moved there between both looks.
  for (const Form form : {Form::kPlain, Form::kBeside, Form::kPlain}) {
    auto fd = folder.Open(before + PathOfKey(key, form), flags | O_NONBLOCK | O_NOCTTY);
    struct stat info{};
    if (fd && ::fstat(fd->get(), &info) == 0 && S_ISREG(info.st_mode)) {
      return PlacedFile{std::move(*fd), info};
    }
    const int cause = fd ? 0 : fd.error().sys;
    const bool absent = cause == 0 || cause == ENOENT || cause == ENOTDIR || cause == ELOOP ||
                        cause == EISDIR || cause == ENXIO;
    if (!absent) return std::unexpected(S3Error(fd.error()));
    if (cause == ENOTDIR) break;
  }
  return Refuse(S3Code::kNoSuchKey);
}

}  // namespace

S3Result<std::vector<os::Fd>> PlaceFile(TempFile& file, const Folder& bucket,
                                        std::string_view key) {
  const auto [folders, last] = SplitKey(key);
  MUSTER_ASSIGN(Descent descent, DescendTo(bucket, folders));
  // The last component of most keys is one name on disk.
  if (const std::string one = PathOfKey(last); one.find('/') == one.npos) {
    if (file.MoveTo(descent.at(), one) == 0) {
      RemoveBeside(bucket, key, descent.at(), last);
      std::vector<os::Fd> changed = descent.TakeChanged();
      changed.push_back(descent.TakeHere());
      return changed;
    }
  }
  MUSTER_ASSIGN(os::Fd holder, Duplicate(descent.at()));
  MUSTER_ASSIGN(std::string leaf, descent.EnterHolder(last, Form::kPlain));
  std::vector<os::Fd> changed = descent.TakeChanged();
  if (file.MoveTo(descent.at(), leaf) == 0) {
    RemoveBeside(bucket, key, holder.get(), last);
    MUSTER_ASSIGN(os::Fd at, Duplicate(descent.at()));
    changed.push_back(std::move(at));
    return changed;
  }
  if (errno != EISDIR) {
    return std::unexpected(S3Error(FailErrno(errno, "rename an object into place").error()));
  }
  Descent beside(std::move(holder));
  MUSTER_ASSIGN(leaf, beside.EnterHolder(last, Form::kBeside));
  for (os::Fd& fd : beside.TakeChanged()) changed.push_back(std::move(fd));
  if (file.MoveTo(beside.at(), leaf) != 0) {
    return std::unexpected(S3Error(FailErrno(errno, "rename an object into place").error()));
  }
  MUSTER_ASSIGN(os::Fd at, Duplicate(beside.at()));
  changed.push_back(std::move(at));
  return changed;
}

S3Result<std::vector<os::Fd>> RemoveFile(const Folder& bucket, std::string_view key) {
  std::vector<os::Fd> changed;
  for (const Form form : {Form::kPlain, Form::kBeside}) {
    const std::string path = PathOfKey(key, form);
    if (!RemoveOne(bucket, path)) continue;
    MUSTER_ASSIGN(os::Fd stays, Prune(bucket, SplitPath(path).first));
    changed.push_back(std::move(stays));
  }
  return changed;
}

S3Result<PlacedFile> OpenPlaced(const Folder& bucket, std::string_view key, int flags) {
  return OpenBelow(bucket, "", key, flags);
}

S3Result<PlacedFile> OpenPlaced(const Folder& root, std::string_view bucket, std::string_view key,
                                int flags) {
  return OpenBelow(root, std::string(bucket) + "/", key, flags);
}

}  // namespace muster::objects
