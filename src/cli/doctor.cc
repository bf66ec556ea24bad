#include <fmt/format.h>

#include "base/text.h"
#include "cli/checks.h"
#include "cli/connect.h"
#include "cli/doctor_scripts.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Check CheckServer(Context& context, const Args& args) {
  const auto api = ConnectOnly(context, args);
  if (!api) {
    const bool absent = api.error().code == Code::kUnavailable && WantedServer(args).server.empty();
    if (absent)
      return {"server", Check::Grade::kOk, "none runs; muster run starts one by itself", ""};
    return {"server", Check::Grade::kFail, api.error().text, api.error().next};
  }
  const auto version = (*api)->Get("/version");
  const auto nodes = (*api)->Get("/nodes");
  if (!nodes) return {"server", Check::Grade::kFail, nodes.error().text, nodes.error().next};
  const std::string theirs = version ? std::string(GetString(*version, "version")) : "";
  if (theirs != context.extras.version)
    return {
        "server", Check::Grade::kWarn,
        fmt::format("{} is version {}, this is {}", (*api)->url(), theirs, context.extras.version),
        "end it with muster server --stop; the next verb starts this version"};
  return {"server", Check::Grade::kOk, fmt::format("{} answers", (*api)->url()), ""};
}

Cell GradeCell(Check::Grade grade) {
  switch (grade) {
    case Check::Grade::kOk:
      return {"ok", Paint::kGreen};
    case Check::Grade::kWarn:
      return {"warn", Paint::kYellow};
    case Check::Grade::kFail:
      return {"FAIL", Paint::kRed};
  }
  return {"FAIL", Paint::kRed};
}

std::string ChecksText(const Screen& screen, const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) {
    const Cell grade = GradeCell(check.grade);
    text += fmt::format("{}{}  {:<10}  {}\n", screen.Painted(grade.paint, grade.text),
                        std::string(4 - grade.text.size(), ' '), check.name, check.found);
    if (!check.next.empty()) text += fmt::format("                  next: {}\n", check.next);
  }
  return text;
}

json::array ChecksJson(const std::vector<Check>& checks) {
  json::array all;
  for (const Check& check : checks)
    all.push_back(json::object{{"check", check.name},
                               {"grade", Lower(GradeCell(check.grade).text)},
                               {"found", check.found},
                               {"next", check.next}});
  return all;
}

Result<int> Run(Context& context, const Args& args) {
  if (!args.words.empty()) return LookAtScripts(context, args);
  std::vector<Check> checks{CheckServer(context, args)};
  for (Check& check : MachineChecks(WantedServer(args).data)) checks.push_back(std::move(check));
  context.screen.Out(args.Has("json") ? ToPrettyJson(json::object{{"checks", ChecksJson(checks)}})
                                      : ChecksText(context.screen, checks));
  const bool failed = std::ranges::any_of(
      checks, [](const Check& check) { return check.grade == Check::Grade::kFail; });
  return failed ? 1 : 0;
}

}  // namespace

Verb DoctorVerb() {
  return {.name = "doctor",
          .aliases = {},
          .summary = "Check this machine, or scripts for faults that would cost a night",
          .words = "[SCRIPT...]",
          .most_words = -1,
          .completes = Completes::kFile,
          .flags = {{"strict", 0, nullptr, "with scripts: exit 1 on a warning too"}},
          .examples = {{"muster doctor", "each line ok, warn or fail, with the next step"},
                       {"muster doctor run.sh train.py",
                        "fixed addresses and ports, duplicate ranks, dropped flags and the like"}},
          .run = Run};
}

}  // namespace muster::cli
