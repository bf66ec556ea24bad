#include "transfer/local_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::transfer {
namespace {

constexpr size_t kMostOpen = 128;

// Opens the folder `name` in `parent` and creates it if it is missing.
Result<os::Fd> StepInto(int parent, const std::string& name, const os::Path& shown) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  os::Fd fd(::openat(parent, name.c_str(), kFlags));
  if (!fd && errno == ENOENT) {
    if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) {
      return FailErrno(errno, "make the folder " + shown.string());
    }
    fd = os::Fd(::openat(parent, name.c_str(), kFlags));
  }
  if (fd) return fd;
  if (errno == ELOOP || errno == ENOTDIR) {
    return Fail(Code::kConflict,
                fmt::format("{} is in the way: it is a link or a file, and must be a folder",
                            Printable(shown.string())),
                "move it away, or copy to another folder");
  }
  return FailErrno(errno, "open the folder " + shown.string());
}

}  // namespace

Status CheckFileName(std::string_view name) {
  for (const std::string& part : Split(name, '/')) {
    const char* cause = part.empty()                           ? "an empty component"
                        : part == "." || part == ".."          ? "a \".\" or \"..\""
                        : part.size() > 255                    ? "a name above 255 bytes"
                        : part.find('\0') != std::string::npos ? "a NUL byte"
                                                               : nullptr;
    if (cause == nullptr) continue;
    return Fail(Code::kInvalid,
                fmt::format("no file can be named {}: there is {} in it",
                            ShellQuote(Printable(name)), cause),
                "copy it by its own name: muster cp s3://BUCKET/KEY FILE");
  }
  return {};
}

Result<std::shared_ptr<os::Fd>> LocalTree::FolderFor(const std::string& name) {
  {
    const MutexLock lock(mutex_);
    const auto it = folders_.find(name);
    if (it != folders_.end()) return it->second;
  }
  os::Fd fd;
  os::Path shown = root_;
  if (name.empty()) {
    MUSTER_TRY(os::MakeDirs(root_));
    MUSTER_ASSIGN(fd, os::Open(root_, O_RDONLY | O_DIRECTORY));
  } else {
    const size_t slash = name.rfind('/');
    const std::string above = slash == std::string::npos ? "" : name.substr(0, slash);
    const std::string leaf = slash == std::string::npos ? name : name.substr(slash + 1);
    MUSTER_ASSIGN(const auto parent, FolderFor(above));
    MUSTER_ASSIGN(fd, StepInto(parent->get(), leaf, root_ / name));
  }
  auto shared = std::make_shared<os::Fd>(std::move(fd));
  const MutexLock lock(mutex_);
  if (folders_.size() >= kMostOpen) folders_.clear();
  folders_[name] = shared;
  return shared;
}

Result<LocalTree::Place> LocalTree::PlaceFor(std::string_view name) {
  MUSTER_TRY(CheckFileName(name));
  const size_t slash = name.rfind('/');
  Place place;
  place.leaf = name.substr(slash == std::string_view::npos ? 0 : slash + 1);
  place.path = root_ / name;
  MUSTER_ASSIGN(place.folder,
                FolderFor(slash == std::string_view::npos ? std::string()
                                                          : std::string(name.substr(0, slash))));
  return place;
}

Status LocalTree::MakeFolder(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  MUSTER_TRY(CheckFileName(name));
  MUSTER_TRY(FolderFor(std::string(name)));
  return {};
}

}  // namespace muster::transfer
