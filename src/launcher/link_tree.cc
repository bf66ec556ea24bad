#include "launcher/link_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

// A thread is worthwhile for this many links; more threads contend in the file system.
constexpr size_t kWorthAThread = 1000, kMostThreads = 4;

// The target is on another file system, or links are unsupported or exhausted.
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

// Handles a failed link.
Status AfterLink(int error, const os::Path& from, const os::Path& to) {
  if (error == EEXIST) return {};
  std::error_code ignored;
  if (error == ENOENT && !fs::exists(from, ignored))
    return Fail(Code::kCorrupt, from.string() + " is gone from the cache");
  if (CannotLink(error)) return CopyOne(from, to);
  return FailErrno(error, fmt::format("link {} to {}", from.string(), to.string()));
}

// Links some files of a list, folder by folder: names are resolved relative to the open folder.
class Linker {
 public:
  Linker(const os::Path& data, const os::Path& to) : data_(data), to_(to) {}

  Status Run(std::span<const CachedFile> files) {
    for (const CachedFile& file : files) {
      const size_t slash = file.name.rfind('/');
      const size_t begin = slash == std::string::npos ? 0 : slash + 1;
      const std::string leaf = file.name.substr(begin);
      MUSTER_TRY(Enter(file.name.substr(0, begin)));
      if (leaf.empty()) continue;  // an empty folder
      if (::linkat(from_.get(), leaf.c_str(), into_.get(), leaf.c_str(), 0) != 0)
        MUSTER_TRY(AfterLink(errno, data_ / file.name, to_ / file.name));
    }
    return {};
  }

 private:
  Status Enter(std::string folder) {
    if (into_ && folder == folder_) return {};
    MUSTER_TRY(os::MakeDirs(to_ / folder));
    MUSTER_ASSIGN(into_, os::Open(to_ / folder, O_RDONLY | O_DIRECTORY));
    auto from = os::Open(data_ / folder, O_RDONLY | O_DIRECTORY);
    if (!from) return Fail(Code::kCorrupt, (data_ / folder).string() + " is gone from the cache");
    from_ = std::move(*from);
    folder_ = std::move(folder);
    return {};
  }

  const os::Path &data_, &to_;
  std::string folder_;  // the open folder, with a trailing '/'
  os::Fd from_, into_;
};

}  // namespace

Status LinkTree(const os::Path& data, std::span<const CachedFile> files, const os::Path& to) {
  MUSTER_TRY(os::MakeDirs(to));
  const size_t threads = std::clamp<size_t>(files.size() / kWorthAThread, 1, kMostThreads);
  if (threads == 1) return Linker(data, to).Run(files);
  std::vector<Status> statuses(threads);
  {
    std::vector<std::jthread> running;
    const size_t share = files.size() / threads + 1;
    for (size_t i = 0; i < threads; ++i) {
      const size_t begin = std::min(i * share, files.size());
      running.emplace_back(
          [&, i, stretch = files.subspan(begin, std::min(share, files.size() - begin))] {
            statuses[i] = Linker(data, to).Run(stretch);
          });
    }
  }
  for (const Status& status : statuses) MUSTER_TRY(status);
  return {};
}

Status LinkFile(const os::Path& data, const CachedFile& file, const os::Path& to) {
  std::error_code ignored;
  const bool into = fs::is_directory(to, ignored);
  MUSTER_TRY(os::MakeDirs(to.parent_path()));
  const os::Path from = data / file.name, place = into ? to / file.name : to;
  if (::link(from.c_str(), place.c_str()) == 0) return {};
  return AfterLink(errno, from, place);
}

}  // namespace muster::launcher
