#include "lifecycle/last_words.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/plan.h"

namespace muster::lifecycle {

namespace {

struct Depth {
  int64_t bytes;
  size_t lines;
};
// A launcher or crash handler may append dozens of lines to the relevant ones.
constexpr Depth kTail{32 << 10, 64};
constexpr Depth kDeep{256 << 10, 2'000};  // a launcher may forward the output of many ranks
constexpr size_t kMostRanks = 64;         // with many ranks, the cause is among the first to end
constexpr size_t kMostFiles = 64;

os::Path NodeDir(const os::Path& attempt_dir, int node) {
  return attempt_dir / fmt::format("node{}", node);
}

os::Path LogOf(const os::Path& attempt_dir, int node, int rank) {
  return NodeDir(attempt_dir, node) / fmt::format("rank{}.log", rank);
}

std::vector<const RankInfo*> InOrderOfEnd(const Attempt& attempt) {
  std::vector<const RankInfo*> ranks;
  for (const RankInfo& info : attempt.ranks) {
    if (info.started_ms > 0) ranks.push_back(&info);
  }
  std::ranges::sort(ranks, {},
                    [](const RankInfo* info) { return std::pair(info->ended_ms, info->rank); });
  if (ranks.size() > kMostRanks) ranks.resize(kMostRanks);
  return ranks;
}

// Regular files only: the job may have created anything in its folder.
std::vector<os::Path> KeptBy(const os::Path& folder) {
  std::vector<os::Path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (it->symlink_status(gone).type() == std::filesystem::file_type::regular) {
      files.push_back(it->path());
    }
    if (files.size() == kMostFiles) break;
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> LinesAtEnd(const os::Path& log, Depth depth) {
  const auto size = os::FileSize(log);
  if (!size) return {};
  const int64_t from = std::max<int64_t>(0, *size - depth.bytes);
  const auto bytes = os::ReadAt(log, from, depth.bytes);
  if (!bytes) return {};
  std::vector<std::string> lines = Split(*bytes, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (from > 0 && lines.size() > 1) lines.erase(lines.begin());  // an incomplete line
  if (lines.size() > depth.lines) lines.erase(lines.begin(), lines.end() - long(depth.lines));
  for (std::string& line : lines) line = Printable(line);
  return lines;
}

}  // namespace

std::vector<std::string> LastLines(const os::Path& log) { return LinesAtEnd(log, kTail); }

std::vector<std::string> LastLinesOf(const os::Path& attempt_dir, int node, int rank) {
  return LastLines(LogOf(attempt_dir, node, rank));
}

std::vector<verdict::RankLines> LinesOfOthers(const os::Path& attempt_dir, const Attempt& attempt) {
  const Cause& first = *attempt.cause;
  std::vector<verdict::RankLines> all{
      {first.rank, LinesAtEnd(LogOf(attempt_dir, first.node, first.rank), kDeep)}};
  std::set<int> nodes;
  for (const RankInfo* info : InOrderOfEnd(attempt)) {
    if (info->rank != first.rank) {
      all.push_back({info->rank, LastLinesOf(attempt_dir, info->node, info->rank)});
    }
    if (!nodes.insert(info->node).second) continue;  // a launcher is the only rank of its node
    const os::Path kept = NodeDir(attempt_dir, info->node) / dialect::kPaddleLogFolder;
    for (const os::Path& file : KeptBy(kept)) {
      if (all.size() < kMostRanks + kMostFiles) all.push_back({info->rank, LastLines(file)});
    }
  }
  return all;
}

}  // namespace muster::lifecycle
