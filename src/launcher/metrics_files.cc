#include "launcher/metrics_files.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace muster::launcher {
namespace {

constexpr const char* kVariable = "MUSTER_METRICS";

Status MakeEmpty(const os::Path& path) {
  MUSTER_ASSIGN(const os::Fd file, os::Open(path, O_WRONLY | O_CREAT | O_APPEND));
  return {};
}

}  // namespace

std::string MetricsFolder(const NodeOrder& order) { return order.dir + "/metrics"; }

os::Path MetricsPath(const NodeOrder& order, int rank) {
  return os::Path(MetricsFolder(order)) / ("rank" + std::to_string(rank) + ".jsonl");
}

Status PrepareMetrics(NodeOrder& order) {
  if (order.ranks.empty() && !order.agent) return {};  // an order that only publishes
  const std::string folder = MetricsFolder(order);
  MUSTER_TRY(os::MakeDirs(folder));
  MUSTER_TRY(MakeEmpty(folder + "/node.jsonl"));
  order.env.emplace_back(kVariable, folder + "/node.jsonl");
  for (RankOrder& rank : order.ranks) {
    const os::Path path = MetricsPath(order, rank.rank);
    MUSTER_TRY(MakeEmpty(path));
    rank.env.emplace_back(kVariable, path.string());
  }
  if (order.view) order.view->keep.push_back(folder);
  return {};
}

MetricsFile::State MetricsFile::Look() {
  struct stat info{};
  if (::lstat(path_.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  State state{.size = info.st_size};
  if (!file_ && info.st_size == 0) return state;  // most ranks never report
  if (!file_ || info.st_ino != inode_) {
    auto file = os::Open(path_, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    state.replaced = bool(file_);
    file_ = std::move(*file);
    inode_ = info.st_ino;
    state.size = info.st_size;
  }
  state.file = file_.get();
  return state;
}

}  // namespace muster::launcher
