#include "verdict/evidence.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "verdict/rules.h"
#include "verdict/shorten.h"

namespace muster::verdict {

namespace {

constexpr size_t kMaxLines = 5;

std::string_view WithoutOnePrefix(std::string_view line) {
  const size_t end = line.substr(0, 64).find(']');
  if (!line.starts_with("[") || end == std::string_view::npos) return line;
  const std::string_view rest = line.substr(end + 1);
  for (const std::string_view mark : {": ", ":", "<stdout>:", "<stderr>:"}) {
    if (rest.starts_with(mark)) return rest.substr(mark.size());
  }
  return line;
}

// An unbuffered rank writes a line in pieces, and mpirun adds its prefix to each piece:
// "[1,1]<stderr>:ValueError[1,1]<stderr>:: bad shape". Keeps the first prefix only.
std::string WithOnePrefix(std::string_view line) {
  std::string_view rest = WithoutOnePrefix(line);
  const std::string_view prefix = line.substr(0, line.size() - rest.size());
  std::string whole(prefix);
  if (!prefix.ends_with("<stdout>:") && !prefix.ends_with("<stderr>:")) return whole.append(rest);
  for (size_t at = rest.find(prefix); at != std::string_view::npos; at = rest.find(prefix)) {
    whole += rest.substr(0, at);
    rest.remove_prefix(at + prefix.size());
  }
  return whole.append(rest);
}

std::vector<std::string> WithOnePrefix(const std::vector<std::string>& lines) {
  std::vector<std::string> whole;
  whole.reserve(lines.size());
  for (const std::string& line : lines) whole.push_back(WithOnePrefix(std::string_view(line)));
  return whole;
}

// The line itself and, for a traceback, the nearest place in the script above it.
std::vector<std::string> WithPlace(const std::vector<std::string>& lines, size_t at) {
  std::vector<std::string> shown;
  for (size_t i = at; i > 0 && at - i < kMaxLines; --i) {
    if (!Trim(WithoutPrefix(lines[i - 1])).starts_with("File \"")) continue;
    for (size_t j = i - 1; j < at && j < i + 1; ++j) shown.push_back(ShortenLine(lines[j]));
    break;
  }
  shown.push_back(ShortenLine(lines[at]));
  return shown;
}

std::vector<std::string> LastNonEmpty(const std::vector<std::string>& lines) {
  std::vector<std::string> shown;
  for (size_t i = lines.size(); i > 0 && shown.size() < kMaxLines; --i) {
    if (!Trim(lines[i - 1]).empty()) shown.push_back(ShortenLine(lines[i - 1]));
  }
  std::reverse(shown.begin(), shown.end());
  return shown;
}

struct Match {
  size_t line = 0;
  CauseClass cause = CauseClass::kUnknown;
};

std::optional<Match> FindMatch(const std::vector<std::string>& lines) {
  std::optional<Match> consequence;
  for (size_t i = lines.size(); i > 0; --i) {
    const std::string_view line = std::string_view(lines[i - 1]).substr(0, kLongestLine);
    const std::optional<CauseClass> cause = ClassOfLine(Trim(WithoutPrefix(Trim(line))));
    if (!cause) continue;
    if (!IsConsequence(*cause)) return Match{i - 1, *cause};
    if (!consequence) consequence = Match{i - 1, *cause};
  }
  return consequence;
}

}  // namespace

// Prefixes may be nested: "[default1]:[rank1]: ".
std::string_view WithoutPrefix(std::string_view line) {
  return WithoutOnePrefix(WithoutOnePrefix(line));
}

bool IsConsequence(CauseClass cause) {
  return cause == CauseClass::kConnectionLost || cause == CauseClass::kCollectiveTimeout ||
         cause == CauseClass::kThreadLeft;
}

Evidence FindEvidence(const std::vector<std::string>& last_lines) {
  const std::vector<std::string> lines = WithOnePrefix(last_lines);
  const std::optional<Match> found = FindMatch(lines);
  if (!found) return {CauseClass::kUnknown, LastNonEmpty(lines)};
  return {found->cause, WithPlace(lines, found->line)};
}

bool EndsInTraceback(const std::vector<std::string>& last_lines) {
  const std::vector<std::string> lines = WithOnePrefix(last_lines);
  const std::optional<Match> found = FindMatch(lines);
  if (!found || IsConsequence(found->cause)) return false;
  const std::string_view exception = lines[found->line];
  const std::string_view prefix =
      exception.substr(0, exception.size() - WithoutPrefix(exception).size());
  // All lines between the head of the traceback and the exception are indented. A launcher may
  // interleave lines of other ranks; those have another prefix.
  for (size_t i = found->line; i > 0; --i) {
    if (!lines[i - 1].starts_with(prefix)) continue;
    const std::string_view line = WithoutPrefix(lines[i - 1]);
    if (line.starts_with("Traceback (most recent call last)")) return true;
    if (!line.starts_with(" ")) return false;
  }
  return false;
}

}  // namespace muster::verdict
