#include "launcher/cache_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "os/file.h"

namespace muster::launcher {
namespace {

// The last entry of a complete list.
constexpr std::string_view kEnd = "end";

std::unexpected<Error> Damaged() { return Fail(Code::kCorrupt, "the list of files is damaged"); }

}  // namespace

std::string CacheKey(std::vector<SourceFile> files) {
  std::ranges::sort(files, {}, &SourceFile::name);
  std::string all;
  for (const SourceFile& file : files) {
    // Lengths make the text unambiguous.
    all += fmt::format("{} {} {}\n{}\n{}\n", file.name.size(), file.size, file.identity.size(),
                       file.name, file.identity);
  }
  return os::Sha256(all);
}

bool IsCacheKey(std::string_view name) {
  return name.size() == 64 && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string WriteFileList(std::span<const CachedFile> files) {
  std::string text;
  for (const CachedFile& file : files) {
    text += fmt::format("{} {} {}", file.size, file.mtime_ns, file.name);
    text += '\0';  // the only byte that no name contains
  }
  text += kEnd;
  text += '\0';
  return text;
}

Result<std::vector<CachedFile>> ReadFileList(std::string_view text) {
  std::vector<CachedFile> files;
  while (true) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return Damaged();
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == kEnd) return files;
    const size_t first = line.find(' ');
    const size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
    if (second == line.npos || second + 1 == line.size()) return Damaged();
    const auto size = ParseInt(line.substr(0, first));
    const auto mtime = ParseInt(line.substr(first + 1, second - first - 1));
    if (!size || !mtime || *size < 0) return Damaged();
    files.push_back({std::string(line.substr(second + 1)), *size, *mtime});
  }
}

std::string WriteEntrySize(const EntrySize& size) {
  return fmt::format("{} {}\n", size.bytes, size.files);
}

EntrySize ReadEntrySize(std::string_view text) {
  const auto words = Split(Trim(text), ' ');
  EntrySize size;
  size.bytes = std::max<int64_t>(0, ParseInt(words[0]).value_or(0));
  if (words.size() == 2) size.files = ParseInt(words[1]).value_or(-1);
  return size;
}

std::string WriteKnownSource(const KnownSource& known) {
  return fmt::format("{} {} {} {} {}\n", known.stamp, known.key, known.bytes,
                     known.single ? "single" : "tree", kEnd);
}

std::optional<KnownSource> ReadKnownSource(std::string_view text) {
  const auto words = Split(Trim(text), ' ');
  if (words.size() != 5 || words[4] != kEnd || words[0].empty() || !IsCacheKey(words[1])) return {};
  const auto bytes = ParseInt(words[2]);
  if (!bytes || *bytes < 0 || (words[3] != "single" && words[3] != "tree")) return {};
  return KnownSource{words[0], words[1], *bytes, words[3] == "single"};
}

std::vector<std::string> ChooseEvictions(std::vector<CacheEntry> entries, int64_t limit) {
  std::ranges::sort(entries, {}, [](const auto& one) { return std::tie(one.used_ms, one.key); });
  int64_t total = std::accumulate(entries.begin(), entries.end(), int64_t{0},
                                  [](int64_t sum, const auto& one) { return sum + one.bytes; });
  std::vector<std::string> gone;
  for (const CacheEntry& entry : entries) {
    if (total <= limit) break;
    if (entry.in_use) continue;
    total -= entry.bytes;
    gone.push_back(entry.key);
  }
  return gone;
}

}  // namespace muster::launcher
