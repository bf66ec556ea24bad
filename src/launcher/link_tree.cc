#include "launcher/link_tree.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <unordered_set>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// Another file system, or one that has no links, or no more of this one.
bool CannotLink(int error) {
  return error == EXDEV || error == EPERM || error == EMLINK || error == EOPNOTSUPP;
}

Status CopyOne(const os::Path& from, const os::Path& to) {
  const os::Path draft = to.parent_path() / os::TemporaryName();
  std::error_code error;
  fs::copy_file(from, draft, error);
  if (!error) fs::rename(draft, to, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(draft, ignored);
  return FailErrno(error.value(), fmt::format("copy {} to {}", from.string(), to.string()));
}

Status LinkOne(const os::Path& from, const os::Path& to) {
  if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST) return {};
  const int error = errno;
  std::error_code ignored;
  if (error == ENOENT && !fs::exists(from, ignored))
    return Fail(Code::kCorrupt, from.string() + " is gone from the cache");
  if (CannotLink(error)) return CopyOne(from, to);
  return FailErrno(error, fmt::format("link {} to {}", from.string(), to.string()));
}

}  // namespace

Status LinkTree(const os::Path& data, std::span<const CachedFile> files, const os::Path& to) {
  MUSTER_TRY(os::MakeDirs(to));
  std::unordered_set<std::string> made;
  for (const CachedFile& file : files) {
    const size_t slash = file.name.rfind('/');
    if (slash != std::string::npos) {
      std::string folder = file.name.substr(0, slash);
      if (!made.contains(folder)) {
        MUSTER_TRY(os::MakeDirs(to / folder));
        made.insert(std::move(folder));
      }
    }
    if (!file.name.ends_with('/')) MUSTER_TRY(LinkOne(data / file.name, to / file.name));
  }
  return {};
}

Status LinkFile(const os::Path& data, const CachedFile& file, const os::Path& to) {
  std::error_code ignored;
  const bool into = fs::is_directory(to, ignored);
  MUSTER_TRY(os::MakeDirs(to.parent_path()));
  return LinkOne(data / file.name, into ? to / file.name : to);
}

}  // namespace muster::launcher
