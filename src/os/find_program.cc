#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "os/spawn.h"

namespace muster::os {
namespace {

enum class Kind { kMissing, kFolder, kNotExecutable, kProgram };

Kind KindOf(const Path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return errno == EACCES ? Kind::kNotExecutable : Kind::kMissing;
  }
  if (S_ISDIR(info.st_mode)) return Kind::kFolder;
  return ::access(path.c_str(), X_OK) == 0 ? Kind::kProgram : Kind::kNotExecutable;
}

std::unexpected<Error> NotExecutable(const Path& path) {
  return Fail(
      Code::kDenied,
      fmt::format("cannot run {}: it is not executable for this user", path.string()),
      fmt::format("chmod +x {}, or name its interpreter in front", ShellQuote(path.string())));
}

// The current folder as an absolute path, so that the result is valid after the chdir of the child.
Path AbsoluteFolder(const Path& cwd) {
  std::error_code error;
  const Path absolute = std::filesystem::absolute(cwd.empty() ? Path(".") : cwd, error);
  return (error ? cwd : absolute).lexically_normal();
}

}  // namespace

Result<Path> FindProgram(const std::string& name, std::string_view path_variable, const Path& cwd) {
  if (name.empty()) return Fail(Code::kInvalid, "cannot run a program without a name");
  const Path folder = AbsoluteFolder(cwd);
  if (name.find('/') != std::string::npos) {
    const Path path = folder / name;
    switch (KindOf(path)) {
      case Kind::kProgram:
        return path;
      case Kind::kNotExecutable:
        return NotExecutable(path);
      case Kind::kFolder:
        return Fail(Code::kDenied, fmt::format("cannot run {}: it is a folder", path.string()));
      case Kind::kMissing:
        return Fail(Code::kNotFound,
                    fmt::format("cannot run {}: there is no such file", path.string()));
    }
  }
  Path refused;
  for (const std::string& entry : Split(path_variable, ':')) {
    const Path path = folder / entry / name;  // an empty entry is the current folder
    const Kind kind = KindOf(path);
    if (kind == Kind::kProgram) return path;
    if (kind == Kind::kNotExecutable && refused.empty()) refused = path;
  }
  if (!refused.empty()) return NotExecutable(refused);
  const bool is_here = KindOf(folder / name) != Kind::kMissing;
  return Fail(Code::kNotFound,
              fmt::format("cannot find the program \"{}\" in any folder of PATH", name),
              is_here ? fmt::format("to run the file of the current folder, write ./{}", name)
                      : "install it, name it by its full path, or set PATH in the job's `env`");
}

}  // namespace muster::os
