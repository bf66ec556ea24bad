#include "launcher/work_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/log.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr auto kWait = std::chrono::milliseconds(20);

os::Path ReadyMark(const os::Path& work_dir) { return work_dir.string() + ".ready"; }

bool Exists(const os::Path& path) { return ::access(path.c_str(), F_OK) == 0; }

// A link is where a later attempt has taken the folder over.
bool IsFolder(const os::Path& path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

class TakeOver {
 public:
  explicit TakeOver(const NodeOrder& order) : order_(order), attempts_(Parent(order.attempt_dir)) {}

  // The folders that belong to this node alone.
  void OfNode() const {
    for (const std::string& folder : order_.taken_over) {
      if (folder == order_.work_dir) continue;
      const auto earlier = Find(folder, /*ready=*/false);
      if (!earlier) continue;
      if (const auto status = Move(At(*earlier, folder), folder); !status)
        LogWarning("{}", status.error().text);
    }
  }

  // A note.
  std::string Work() const {
    const auto from = Find(order_.work_dir, /*ready=*/true);
    if (!from)
      return fmt::format(
          "attempt {} starts in a new working folder: no earlier attempt has left a complete one",
          order_.attempt);
    Status status = Move(At(*from, order_.work_dir), order_.work_dir);
    if (status) status = MarkWorkReady(order_);
    if (!status)
      return fmt::format("attempt {} starts in a new working folder: {}", order_.attempt,
                         status.error().text);
    return fmt::format(
        "attempt {} continues in the working folder of attempt {}: it has all files as the ranks "
        "left them, and the code is not copied again",
        order_.attempt, *from);
  }

 private:
  static os::Path Parent(std::string_view folder) { return os::Path(folder).parent_path(); }

  // The folder of an earlier attempt with the same place in it.
  os::Path At(int attempt, const os::Path& folder) const {
    return attempts_ / std::to_string(attempt) / folder.lexically_relative(order_.attempt_dir);
  }

  std::optional<int> Find(const os::Path& folder, bool ready) const {
    for (int attempt = order_.attempt - 1; attempt > 0; --attempt) {
      const os::Path at = At(attempt, folder);
      if (IsFolder(at) && (!ready || Exists(ReadyMark(at)))) return attempt;
    }
    return std::nullopt;
  }

  static Status Move(const os::Path& from, const os::Path& to) {
    MUSTER_TRY(os::MakeDirs(to.parent_path()));
    if (::rename(from.c_str(), to.c_str()) != 0)
      return FailErrno(errno, fmt::format("move {} to {}", from.string(), to.string()));
    std::error_code error;
    fs::create_directory_symlink(to.lexically_relative(from.parent_path()), from, error);
    if (error)
      LogWarning("{} is not linked to {}: {}", from.string(), to.string(), error.message());
    return {};
  }

  const NodeOrder& order_;
  const os::Path attempts_;
};

}  // namespace

bool WorkIsReady(const NodeOrder& order) { return Exists(ReadyMark(order.work_dir)); }

Status MarkWorkReady(const NodeOrder& order) {
  auto file = os::Open(ReadyMark(order.work_dir), O_WRONLY | O_CREAT);
  if (!file) return std::unexpected(std::move(file).error());
  return {};
}

Result<os::Fd> LockWork(const NodeOrder& order, const os::GoOn& go_on) {
  MUSTER_ASSIGN(os::Fd file, os::Open(order.work_dir + ".lock", O_RDWR | O_CREAT));
  while (true) {
    MUSTER_ASSIGN(const bool taken, os::TryLock(file.get()));
    if (taken) return file;
    if (!go_on()) return FailErrno(ECANCELED, "wait for the working folder");
    std::this_thread::sleep_for(kWait);
  }
}

std::vector<std::string> TakeOverWork(const NodeOrder& order) {
  if (order.taken_over.empty()) return {};
  const auto lock = LockWork(order, [] { return true; });
  if (!lock) return {lock.error().text};
  const TakeOver take_over(order);
  take_over.OfNode();
  if (WorkIsReady(order)) return {};  // another node of the attempt has taken it over
  std::string note = take_over.Work();
  // One note is enough for nodes that all do the same.
  if (order.node != 0 && !order.work_shared && WorkIsReady(order)) return {};
  return {std::move(note)};
}

}  // namespace muster::launcher
