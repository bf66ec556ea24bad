#include "objects/part_runs.h"

#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::objects {
namespace {

// Limits the size of the metadata; uploads with more different part sizes are unusual.
constexpr size_t kMostRuns = 64;
constexpr int64_t kMostParts = 10'000, kLargestPart = int64_t{1} << 43;

std::optional<int64_t> HexNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

void AddPart(PartRuns& runs, int64_t size) {
  if (runs.empty() || runs.back().size != size) runs.push_back({0, size});
  ++runs.back().count;
}

int64_t CountParts(const PartRuns& runs) {
  int64_t count = 0;
  for (const PartRun& run : runs) count += run.count;
  return count;
}

int64_t TotalSize(const PartRuns& runs) {
  int64_t size = 0;
  for (const PartRun& run : runs) size += run.count * run.size;
  return size;
}

std::optional<PartPlace> PlaceOfPart(const PartRuns& runs, int64_t number) {
  if (number < 1) return std::nullopt;
  int64_t offset = 0, before = number - 1;
  for (const PartRun& run : runs) {
    if (before < run.count) return PartPlace{offset + before * run.size, run.size};
    before -= run.count;
    offset += run.count * run.size;
  }
  return std::nullopt;
}

std::string WritePartRuns(const PartRuns& runs) {
  if (runs.size() > kMostRuns) return {};
  std::vector<std::string> words;
  for (const PartRun& run : runs) words.push_back(fmt::format("{:x}:{:x}", run.count, run.size));
  return Join(words, " ");
}

PartRuns ReadPartRuns(std::string_view text) {
  PartRuns runs;
  int64_t parts = 0;
  for (const std::string& word : Split(text, ' ')) {
    const size_t colon = word.find(':');
    if (colon == word.npos || runs.size() == kMostRuns) return {};
    const auto count = HexNumber(std::string_view(word).substr(0, colon));
    const auto size = HexNumber(std::string_view(word).substr(colon + 1));
    if (!count || !size || *count < 1 || *count > kMostParts || *size > kLargestPart) return {};
    if ((parts += *count) > kMostParts) return {};
    runs.push_back({*count, *size});
  }
  return runs;
}

}  // namespace muster::objects
