#include "dialect/plan.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_faults.h"
#include "cli/job_flags.h"
#include "cli/job_input.h"
#include "cli/plan_page.h"
#include "cli/verbs.h"
#include "model/plan_document.h"

namespace muster::cli {
namespace {

Result<std::vector<NodeOrder>> AskServer(Api& api, const JobInput& input) {
  MUSTER_ASSIGN(const json::object answer,
                api.Post("/plan", json::object{{"spec", input.document}}));
  return ReadPlan(answer);
}

// Uses invented nodes, and the folders that a first job would have.
Result<std::vector<NodeOrder>> Sketch(const JobInput& input, const os::Path& data) {
  const JobSpec& spec = input.specs.front();
  MUSTER_TRY(dialect::CheckPlanSize(spec));
  dialect::Places places;
  places.job = 1;
  places.token = "token";
  places.job_dir = (data / "jobs" / "1").string();
  places.attempt_dir = places.job_dir + "/attempts/1";
  places.data_dir = data.string();
  places.muster = os::SelfPath().string();
  if (!input.code.empty()) places.code_dir = (data / "code" / "snapshot").string();
  return dialect::Plan(spec, dialect::SketchAllocation(spec), places);
}

Result<std::vector<NodeOrder>> MakePlan(Context& context, const Args& args, const JobInput& input) {
  const Wanted wanted = WantedServer(args);
  if (!args.Has("offline")) {
    const auto api = ConnectOnly(context, args);
    if (api) return AskServer(**api, input);
    // A plan needs no server; a named server that does not respond is an error.
    if (!wanted.server.empty() || api.error().code != Code::kUnavailable)
      return std::unexpected(api.error());
    context.screen.Err("muster: no server is running; the plan is for hypothetical nodes\n");
  }
  return Sketch(input, wanted.data);
}

// One order at a time: thousands of orders, each with the names of all nodes, exceed memory.
void PrintJson(Screen& screen, const std::vector<NodeOrder>& orders, const EnvSources& sources) {
  screen.Out(
      fmt::format("{{\n  \"env_sources\": {},\n  \"nodes\": [\n", ToJson(ToJsonObject(sources))));
  for (const NodeOrder& order : orders) {
    std::string text = ToPrettyJson(ToJsonObject(order));
    text.erase(text.find_last_not_of('\n') + 1);
    if (&order != &orders.back()) text += ',';
    std::string indented;
    for (const std::string& line : Split(text, '\n')) indented += "    " + line + "\n";
    screen.Out(indented);
  }
  screen.Out("  ]\n}\n");
}

Result<int> Run(Context& context, const Args& args) {
  std::optional<int> exit_code;
  auto read = ReadJobOf(context, args, exit_code);
  if (exit_code) return *exit_code;
  MUSTER_ASSIGN(const JobInput input, std::move(read));
  MUSTER_ASSIGN(std::vector<NodeOrder> orders, MakePlan(context, args, input));
  if (input.specs.size() > 1)
    context.screen.Err(
        fmt::format("muster: the first of {} jobs of this sweep\n", input.specs.size()));
  HideSecrets(orders);
  const EnvSources sources = SourcesOf(input.specs.front());
  if (!args.Has("json")) {
    context.screen.Out(PlanPage(context.screen, orders, sources));
    return 0;
  }
  PrintJson(context.screen, orders, sources);
  return 0;
}

}  // namespace

Verb PlanVerb() {
  std::vector<Flag> flags = JobFlags();
  flags.push_back({"offline", 0, nullptr, "plan without a server, on hypothetical nodes"});
  return {.name = "plan",
          .aliases = {},
          .summary = "Print every rank's environment, files and command without running",
          .words = "[JOB.yaml]",
          .most_words = 1,
          .completes = Completes::kFile,
          .flags = std::move(flags),
          .examples = {{"muster plan --offline -N 2 -g cpu:2 -f pytorch -- python3 train.py",
                        "what four ranks would get"},
                       {"muster plan job.yaml --json", "the whole orders"}},
          .run = Run,
          .takes_command = true};
}

}  // namespace muster::cli
