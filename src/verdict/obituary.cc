#include "verdict/obituary.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "base/text.h"

namespace muster::verdict {

namespace {

constexpr size_t kLongestLookedAt = 4096;
constexpr size_t kLongestShown = 300;
constexpr int kDumped = 128;  // added by the kernel where memory was dumped

// How a launcher words it: a line with `mark`, the signal right behind `number`, and right behind
// `who`, if it says so, which of its processes it was.
struct Wording {
  std::string_view mark;
  std::string_view number;
  std::string_view who;
  std::string_view name;  // of what `who` counts
  int above;              // the number is a signal plus this
};
constexpr std::array kWordings{
    Wording{"failed (exitcode: -", "(exitcode: -", "local_rank: ", "local rank", 0},  // torchrun
    Wording{"exit with exception. Error code: -", "code: -", "Worker process ", "process",
            0},                                                                  // msrun
    Wording{"status failed cmd", " code -", "Container rank ", "rank", 0},       // Paddle
    Wording{"exit with status code ", "status code ", "Process ", "rank", 128},  // horovodrun
    Wording{"exited on signal ", "on signal ", "process rank ", "rank", 0},      // Open MPI
    Wording{"=   EXIT CODE: ", "CODE: ", "", "", 0},  // Hydra, of a bad end alone
    Wording{"WITH THE EXIT STRING: ", "(signal ", "", "", 0},
};

// Behind the last `mark`: Paddle has the whole command in front of it.
std::optional<int> NumberBehind(std::string_view line, std::string_view mark) {
  const size_t at = line.rfind(mark);
  if (mark.empty() || at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + mark.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789"));
  const auto number = ParseInt(rest.substr(0, 9));
  return number ? std::optional(int(*number)) : std::nullopt;
}

std::string Shown(std::string_view line) {
  std::string text = Printable(Trim(line));
  if (text.size() <= kLongestShown) return text;
  size_t end = kLongestShown;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // between characters
  return text.substr(0, end) + "…";
}

std::optional<Obituary> Read(int rank, std::string_view line) {
  line = line.substr(0, kLongestLookedAt);
  for (const Wording& wording : kWordings) {
    if (!line.contains(wording.mark)) continue;
    const auto number = NumberBehind(line, wording.number);
    int signal = number ? *number - wording.above : 0;
    if (signal > kDumped) signal -= kDumped;
    if (signal <= 0 || signal >= NSIG || MayBeFallout(signal)) continue;
    const auto who = NumberBehind(line, wording.who);
    return Obituary{rank, signal,
                    who ? std::string(wording.name) + " " + std::to_string(*who) : "a process",
                    Shown(line)};
  }
  return std::nullopt;
}

std::optional<Obituary> FirstOf(int rank, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (auto found = Read(rank, line)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<Obituary> FindObituary(int first, const std::vector<std::string>& last_lines,
                                     std::span<const RankLines> others) {
  if (auto found = FirstOf(first, last_lines)) return found;
  for (const RankLines& other : others)
    if (auto found = FirstOf(other.rank, other.lines)) return found;
  return std::nullopt;
}

std::optional<Obituary> FindUnsaid(const Attempt& attempt) {
  for (const RankInfo& info : attempt.ranks)
    if (info.exit && info.exit->killed_below != 0)
      return Obituary{info.rank, info.exit->killed_below, "a process", ""};
  return std::nullopt;
}

}  // namespace muster::verdict
