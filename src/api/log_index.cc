#include "api/log_index.h"

#include <string>

#include "base/text.h"

namespace muster::api {
namespace {

constexpr size_t kBlock = 256;  // several lines

std::optional<LogIndex::Entry> ParseEntry(std::string_view line) {
  const size_t blank = line.find(' ');
  if (blank == line.npos) return std::nullopt;
  const auto wall_ms = ParseInt(line.substr(0, blank)), size = ParseInt(line.substr(blank + 1));
  if (!wall_ms || !size) return std::nullopt;
  return LogIndex::Entry{*wall_ms, *size};
}

}  // namespace

// The first line that begins at `offset` or behind it; `whole`: a line begins at `offset`.
Result<std::optional<LogIndex::Line>> LogIndex::LineFrom(int64_t offset, bool whole) {
  std::string block;
  MUSTER_TRY(file_.Read(offset, kBlock, block));
  size_t begin = 0;
  if (!whole) {
    const size_t newline = block.find('\n');
    if (newline == block.npos) return std::nullopt;
    begin = newline + 1;
  }
  const size_t end = block.find('\n', begin);
  if (end == block.npos) return std::nullopt;
  const auto entry = ParseEntry(std::string_view(block).substr(begin, end - begin));
  if (!entry) return std::nullopt;
  return Line{*entry, offset + int64_t(begin), offset + int64_t(end) + 1};
}

// Binary search for the first line for which `before` is false.
template <typename Before>
Result<std::optional<LogIndex::Line>> LogIndex::FirstNot(Before before) {
  MUSTER_ASSIGN(const int64_t size, file_.Size());
  int64_t low = 0, high = size;  // all lines that begin before `low` are before
  while (high - low > int64_t(kBlock)) {
    const int64_t middle = low + (high - low) / 2;
    MUSTER_ASSIGN(const auto line, LineFrom(middle, false));
    if (line && before(line->entry)) {
      low = line->end;
    } else {
      high = middle;
    }
  }
  while (true) {
    MUSTER_ASSIGN(const auto line, LineFrom(low, true));
    if (!line || !before(line->entry)) return line;
    low = line->end;
  }
}

Result<std::optional<LogIndex::Entry>> LogIndex::At(int64_t offset) {
  MUSTER_ASSIGN(const auto line,
                FirstNot([offset](const Entry& entry) { return entry.size <= offset; }));
  if (!line) return std::nullopt;
  return line->entry;
}

Result<int64_t> LogIndex::OffsetSince(int64_t wall_ms) {
  MUSTER_ASSIGN(const auto line,
                FirstNot([wall_ms](const Entry& entry) { return entry.wall_ms < wall_ms; }));
  const int64_t end = line ? line->begin : INT64_MAX;
  // The size at the last look before that time.
  int64_t offset = 0;
  MUSTER_ASSIGN(const int64_t size, file_.Size());
  const int64_t from = std::max<int64_t>(0, std::min(end, size) - int64_t(kBlock));
  auto last = LineFrom(from, from == 0);
  while (last && *last && (*last)->begin < end) {
    offset = (*last)->entry.size;
    last = LineFrom((*last)->end, true);
  }
  if (!last) return std::unexpected(last.error());
  return offset;
}

}  // namespace muster::api
