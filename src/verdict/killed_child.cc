#include "verdict/killed_child.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "base/text.h"
#include "verdict/shorten.h"

namespace muster::verdict {

namespace {

constexpr int kDumped = 128;  // added by the kernel if the process dumped core

// The line format of one launcher. A matching line contains `mark`; the signal number follows
// `number`, and the process number follows `who`.
struct Wording {
  std::string_view mark;
  std::string_view number;
  std::string_view who;
  std::string_view name;  // what `who` numbers
  int above;              // the printed number is the signal plus this value
};
constexpr std::array kWordings{
    Wording{"failed (exitcode: -", "(exitcode: -", "local_rank: ", "local rank", 0},  // torchrun
    Wording{"exit with exception. Error code: -", "code: -", "Worker process ", "process",
            0},                                                                  // msrun
    Wording{"status failed cmd", " code -", "Container rank ", "rank", 0},       // Paddle
    Wording{"exit with status code ", "status code ", "Process ", "rank", 128},  // horovodrun
    Wording{"exited on signal ", "on signal ", "process rank ", "rank", 0},      // Open MPI
    Wording{"=   EXIT CODE: ", "CODE: ", "", "", 0},  // Hydra, for abnormal ends only
    Wording{"WITH THE EXIT STRING: ", "(signal ", "", "", 0},
};

// The number after the last `mark`. Paddle prints the whole command before it.
std::optional<int> NumberBehind(std::string_view line, std::string_view mark) {
  const size_t at = line.rfind(mark);
  if (mark.empty() || at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + mark.size());
  rest = rest.substr(0, rest.find_first_not_of("0123456789"));
  const auto number = ParseInt(rest.substr(0, 9));
  return number ? std::optional(int(*number)) : std::nullopt;
}

std::optional<KilledChild> Read(int rank, std::string_view line) {
  line = line.substr(0, kLongestLine);
  for (const Wording& wording : kWordings) {
    if (!line.contains(wording.mark)) continue;
    const auto number = NumberBehind(line, wording.number);
    int signal = number ? *number - wording.above : 0;
    if (signal > kDumped) signal -= kDumped;
    if (signal <= 0 || signal >= NSIG || MayBeFallout(signal)) continue;
    const auto who = NumberBehind(line, wording.who);
    return KilledChild{rank, signal,
                       who ? std::string(wording.name) + " " + std::to_string(*who) : "a process",
                       ShortenLine(Trim(line))};
  }
  return std::nullopt;
}

std::optional<KilledChild> FirstOf(int rank, const std::vector<std::string>& lines) {
  for (const std::string& line : lines)
    if (auto found = Read(rank, line)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<KilledChild> FindKilledChild(int first, const std::vector<std::string>& last_lines,
                                           std::span<const RankLines> others) {
  if (auto found = FirstOf(first, last_lines)) return found;
  for (const RankLines& other : others)
    if (auto found = FirstOf(other.rank, other.lines)) return found;
  return std::nullopt;
}

std::optional<KilledChild> FindUnreportedKill(const Attempt& attempt) {
  for (const RankInfo& info : attempt.ranks)
    if (info.exit && info.exit->killed_below != 0)
      return KilledChild{info.rank, info.exit->killed_below, "a process", ""};
  return std::nullopt;
}

}  // namespace muster::verdict
