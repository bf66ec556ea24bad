#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>

#include <fmt/format.h>

#include "os/file.h"

namespace muster::os {
namespace {

using Dir = std::unique_ptr<DIR, int (*)(DIR*)>;

// Removes the content of a folder. Works on descriptors, so that a symbolic link that replaces a
// folder meanwhile is not followed.
class TreeRemover {
 public:
  explicit TreeRemover(int root) : root_(root) {}

  // Empties and closes the folder `fd`; `path` is for errors.
  Status Empty(Fd fd, const Path& path, int depth) {
    const Dir dir(::fdopendir(fd.get()), ::closedir);
    if (!dir) return FailErrno(errno, "list " + path.string());
    const int folder = fd.Release();  // `dir` closes it now
    // Names are read in batches, because removing entries during a listing makes some file systems
    // skip names.
    for (;;) {
      ::rewinddir(dir.get());
      const std::vector<std::string> names = Batch(dir.get());
      if (names.empty()) return {};
      for (const std::string& name : names) MUSTER_TRY(RemoveEntry(folder, name, path, depth));
    }
  }

 private:
  static std::vector<std::string> Batch(DIR* dir) {
    constexpr size_t kBatch = 512;
    std::vector<std::string> names;
    while (const dirent* entry = names.size() < kBatch ? ::readdir(dir) : nullptr) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
  }

  Status RemoveEntry(int folder, const std::string& name, const Path& path, int depth) {
    int error = Unlink(folder, name, 0);
    if (error == 0 || error == ENOENT) return {};
    if (error != EISDIR && error != EPERM)
      return FailErrno(error, "remove " + (path / name).string());
    error = Unlink(folder, name, AT_REMOVEDIR);
    if (error == 0 || error == ENOENT) return {};
    if (error != ENOTEMPTY && error != EEXIST) {
      return FailErrno(error, "remove folder " + (path / name).string());
    }
    if (depth >= kDeepest) return Lift(folder, name, path);
    MUSTER_ASSIGN(Fd inner, OpenFolder(folder, name, path));
    MUSTER_TRY(Empty(std::move(inner), path / name, depth + 1));
    error = Unlink(folder, name, AT_REMOVEDIR);
    if (error == 0 || error == ENOENT) return {};
    return FailErrno(error, "remove folder " + (path / name).string());
  }

  // Returns 0 or errno. The owner may always remove, whatever mode a program set.
  static int Unlink(int folder, const std::string& name, int flags) {
    if (::unlinkat(folder, name.c_str(), flags) == 0) return 0;
    if (errno != EACCES) return errno;
    if (::fchmod(folder, 0700) != 0) return EACCES;
    return ::unlinkat(folder, name.c_str(), flags) == 0 ? 0 : errno;
  }

  static Result<Fd> OpenFolder(int parent, const std::string& name, const Path& path) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Fd fd(::openat(parent, name.c_str(), kFlags));
    if (!fd && errno == EACCES) {
      // chmod by descriptor, because the name could be a symbolic link by now.
      const Fd handle(
          ::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      ::chmod(fmt::format("/proc/self/fd/{}", handle.get()).c_str(), 0700);
      fd = Fd(::openat(parent, name.c_str(), kFlags));
    }
    if (!fd) return FailErrno(errno, "open folder " + (path / name).string());
    return fd;
  }

  // A folder too deep for one descriptor per level is moved to the root; the next batch removes it.
  Status Lift(int folder, const std::string& name, const Path& path) {
    const std::string lifted = fmt::format(".lifted-{}-{}", ::getpid(), lifted_++);
    if (::renameat(folder, name.c_str(), root_, lifted.c_str()) == 0) return {};
    return FailErrno(errno, "move " + (path / name).string());
  }

  static constexpr int kDeepest = 100;
  int root_;
  int lifted_ = 0;
};

bool IsFolder(const Path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// 0, also if the folder exists, or errno.
int MakeOne(const Path& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return 0;
  const int error = errno;
  if (error != ENOENT && IsFolder(path)) return 0;
  return error == EEXIST ? ENOTDIR : error;
}

}  // namespace

Status MakeDirs(const Path& path, mode_t mode) {
  int error = MakeOne(path, mode);
  // Ascends only if a parent is missing: most of the path usually exists.
  if (error == ENOENT && path.has_relative_path() && path.parent_path() != path) {
    MUSTER_TRY(MakeDirs(path.parent_path(), mode));
    error = MakeOne(path, mode);
  }
  if (error != 0) return FailErrno(error, "make folder " + path.string());
  return {};
}

Status RemoveTree(const Path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status() : FailErrno(errno, "examine " + path.string());
  }
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return FailErrno(errno, "remove " + path.string());
  }
  if ((info.st_mode & S_IRWXU) != S_IRWXU) ::chmod(path.c_str(), 0700);
  MUSTER_ASSIGN(Fd root, Open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const int root_fd = root.get();
  MUSTER_TRY(TreeRemover(root_fd).Empty(std::move(root), path, 0));
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return {};
  return FailErrno(errno, "remove folder " + path.string());
}

}  // namespace muster::os
