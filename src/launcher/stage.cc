#include "launcher/stage.h"

#include <system_error>

#include <fmt/format.h>

#include "launcher/work_folder.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

os::Path SharedCode(const NodeOrder& order) { return os::Path(order.work_dir) / "code"; }

void CountTree(const os::Path& root, StageDone& done) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored) || it->is_symlink(ignored)) continue;
    ++done.files;
    const auto size = it->file_size(ignored);
    if (!ignored) done.bytes += int64_t(size);
  }
}

// Cached files are read-only; the copy of the job is writable.
void MakeWritable(const os::Path& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->is_symlink(ignored))
      fs::permissions(it->path(), fs::perms::owner_write, fs::perm_options::add, ignored);
  }
}

Status CopyOnce(const NodeOrder& order, const os::Path& to, const os::GoOn& go_on) {
  MUSTER_TRY(os::CopyTree(order.code_dir, to, go_on));
  if (order.code_dir.starts_with(order.attempt_dir + "/")) MakeWritable(to);
  return {};
}

Status CopyCode(const NodeOrder& order, StageDone& done, const os::GoOn& go_on) {
  if (order.code_dir.empty()) return {};
  if (!order.code_per_rank) {
    MUSTER_TRY(CopyOnce(order, SharedCode(order), go_on));
    CountTree(SharedCode(order), done);
    return {};
  }
  for (const auto& rank : order.ranks) {
    const os::Path to = os::Path(order.work_dir) / fmt::format("rank{}", rank.rank);
    MUSTER_TRY(CopyOnce(order, to, go_on));
    CountTree(to, done);
  }
  return {};
}

// The copies of the code that an interrupted Stage() left. The work folder itself stays: a view
// may have it mounted.
Status RemoveCode(const NodeOrder& order) {
  if (!order.code_per_rank) return os::RemoveTree(SharedCode(order));
  for (const auto& rank : order.ranks)
    MUSTER_TRY(os::RemoveTree(os::Path(order.work_dir) / fmt::format("rank{}", rank.rank)));
  return {};
}

// Once for a working folder: not where an earlier attempt has left it, or another node shares it.
Status PlaceCode(const NodeOrder& order, StageDone& done, const os::GoOn& go_on) {
  if (order.work_dir.empty()) return {};
  os::Fd lock;
  if (order.work_shared) {
    MUSTER_ASSIGN(lock, LockWork(order, go_on));
  }
  if (WorkIsReady(order)) return {};
  MUSTER_TRY(RemoveCode(order));
  MUSTER_TRY(CopyCode(order, done, go_on));
  return MarkWorkReady(order);
}

// The launcher creates the folder of a rank inside the work folder; a folder elsewhere must exist.
Status MakeRankFolders(const NodeOrder& order) {
  for (const auto& rank : order.ranks)
    if (!order.work_dir.empty() && rank.cwd.starts_with(order.work_dir + "/"))
      MUSTER_TRY(os::MakeDirs(rank.cwd));
  return {};
}

}  // namespace

os::Path HookFolder(const NodeOrder& order) {
  if (!order.code_dir.empty() && !order.code_per_rank) return SharedCode(order);
  return order.work_dir;
}

Result<StageDone> Stage(const NodeOrder& order, const Clock& clock, const os::GoOn& go_on) {
  const int64_t began_ms = clock.SteadyMs();
  StageDone done;
  if (!order.work_dir.empty()) MUSTER_TRY(os::MakeDirs(order.work_dir));
  for (const auto& folder : order.folders) MUSTER_TRY(os::MakeDirs(folder));
  MUSTER_TRY(PlaceCode(order, done, go_on));
  MUSTER_TRY(MakeRankFolders(order));
  for (const auto& file : order.files) {
    MUSTER_TRY(os::MakeDirs(os::Path(file.path).parent_path()));
    MUSTER_TRY(os::WriteFileAtomic(file.path, *file.content, mode_t(file.mode), false));
    ++done.files;
    done.bytes += int64_t(file.content->size());
  }
  done.ms = clock.SteadyMs() - began_ms;
  return done;
}

}  // namespace muster::launcher
