#include <pwd.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "os/file.h"

namespace muster::os {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

Path HomeDir() {
  if (const std::string_view home = Variable("HOME"); !home.empty()) return home;
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found) {
    return entry.pw_dir;
  }
  return ".";  // a user without a home folder, as in some containers: use the current folder
}

}  // namespace

Path DefaultDataDir() {
  if (const std::string_view data = Variable("MUSTER_DATA"); !data.empty()) return data;
  const Path xdg = Variable("XDG_DATA_HOME");
  if (xdg.is_absolute()) return xdg / "muster";  // the XDG specification ignores relative paths
  return HomeDir() / ".local/share/muster";
}

Path SelfPath() {
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  // After an upgrade in place the kernel reports the path with the suffix " (deleted)".
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  if (!path.empty()) return path;
  // Without /proc (a bare chroot), AT_EXECFN contains the executed path.
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return name == nullptr ? Path() : std::filesystem::absolute(name, error);
}

}  // namespace muster::os
