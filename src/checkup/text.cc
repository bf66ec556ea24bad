// Faults of the file as text: syntax, line ends, and constant ranks.
#include <array>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr std::array<std::string_view, 5> kRankVariables{"rank", "rank_id", "paddle_trainer_id",
                                                         "ms_node_id", "ms_rank"};

std::string_view LineAt(std::string_view text, int line) {
  for (int at = 1; at < line && !text.empty(); ++at) {
    const size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

void CheckSyntax(const Reading& reading, Findings& findings) {
  const auto& error = reading.here.syntax;
  if (!error) return;
  findings.push_back(Found(Fault::kSyntaxError, error->line,
                           error->line > 0 ? LineAt(reading.script.text, error->line) : "",
                           error->text));
}

// Python accepts carriage returns; the kernel does not in the first line of an executable script.
void CheckLineEnds(const Reading& reading, Findings& findings) {
  const std::string_view text = reading.script.text;
  const size_t at = text.find("\r\n");
  if (at == std::string_view::npos) return;
  const bool shell = reading.script.language == Language::kShell;
  if (!shell && !text.starts_with("#!")) return;
  Finding finding = Found(Fault::kCarriageReturns, 0, "");
  if (!shell) {
    finding.grade = Grade::kWarn;
    finding.reason =
        "the lines end with a carriage return (Windows format), so the kernel does not find the "
        "interpreter in the first line if the file is executed directly";
  }
  findings.push_back(std::move(finding));
}

// RANK=0 in a shell script, os.environ["RANK"] = "0" and init_process_group(rank=0) in Python. A
// plain variable `rank = 0` in Python is usually a default.
bool SetsRank(const Reading& reading, const Setting& setting) {
  if (!IsOneOf(setting.name, kRankVariables) || !setting.Number()) return false;
  if (reading.script.language == Language::kShell) return true;
  return setting.said.contains("environ") ||
         (setting.kind == Setting::Kind::kArgument && setting.said.contains("init_process_group"));
}

// A script that sets several constant ranks starts each of them itself.
void CheckFixedRank(const Reading& reading, Findings& findings) {
  const Setting* only = nullptr;
  for (const Setting& setting : reading.settings) {
    if (!SetsRank(reading, setting)) continue;
    if (only != nullptr && only->Number() != setting.Number()) return;
    if (only == nullptr) only = &setting;
  }
  if (only != nullptr) findings.push_back(Found(Fault::kFixedRank, only->line, only->said));
}

}  // namespace

void CheckText(const Reading& reading, Findings& findings) {
  CheckSyntax(reading, findings);
  CheckLineEnds(reading, findings);
  CheckFixedRank(reading, findings);
}

}  // namespace muster::checkup
