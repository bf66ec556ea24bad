#include "launcher/task_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include <fmt/format.h>

#include "base/log.h"
#include "os/file.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLargest = int64_t{1} << 30;
constexpr int64_t kChunk = 1 << 20;

// The name in the view under which the first rank's log is the log of the node.
std::optional<os::Path> TaskLog(const NodeOrder& order) {
  if (!order.platform.starts_with("modelarts") || !order.view || order.ranks.empty()) return {};
  const std::string log = order.LogPath(order.ranks.front().rank);
  const auto link = std::ranges::find_if(order.view->links, [&](const auto& one) {
    return one.second == log && one.first.ends_with(".log");
  });
  if (link == order.view->links.end()) return {};
  return link->first;
}

// Appends `from` with a final newline; a missing file counts as empty.
Status Append(const os::Path& from, int to) {
  int64_t at = 0;
  bool open_line = false;
  while (true) {
    const auto part = os::ReadAt(from, at, kChunk);
    if (!part && part.error().code == Code::kNotFound) return {};
    if (!part) return std::unexpected(part.error());
    if (part->empty()) break;
    MUSTER_TRY(os::WriteAll(to, *part));
    at += int64_t(part->size());
    open_line = !part->ends_with('\n');
  }
  return open_line ? os::WriteAll(to, "\n") : Status();
}

Status Write(const NodeOrder& order, int return_code, const os::Path& path) {
  MUSTER_ASSIGN(const os::Fd file, os::Open(path, O_WRONLY | O_CREAT | O_TRUNC));
  MUSTER_TRY(Append(os::Path(order.dir) / "hooks.log", file.get()));
  MUSTER_TRY(Append(order.LogPath(order.ranks.front().rank), file.get()));
  return os::WriteAll(
      file.get(),
      fmt::format("[ModelArts Service Log] Training end with return code: {}\n", return_code));
}

}  // namespace

void CloseTaskLog(const NodeOrder& order, int return_code) {
  const auto log = TaskLog(order);
  if (!log) return;
  if (os::FileSize(order.LogPath(order.ranks.front().rank)).value_or(0) > kLargest) return;
  const os::Path made = log->string() + ".new";
  Status status = Write(order, return_code, made);
  if (status && rename(made.c_str(), log->c_str()) != 0)
    status = FailErrno(errno, "rename " + made.string());
  if (status) return;
  (void)unlink(made.c_str());  // the link continues to show the output of the rank
  LogWarning("the log of the node has no closing line: {}", status.error().text);
}

}  // namespace muster::launcher
