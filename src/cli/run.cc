#include <unistd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_faults.h"
#include "cli/job_flags.h"
#include "cli/job_input.h"
#include "cli/refuse_input.h"
#include "cli/rehearse.h"
#include "cli/submit.h"
#include "cli/take_code.h"
#include "cli/verbs.h"
#include "cli/watch.h"

namespace muster::cli {
namespace {

// A virtual environment decides which modules the job finds: the user should see that it is taken.
void ShowPythonEnvironment(Context& context, const JobInput& input) {
  for (const auto& [name, value] : input.specs.front().shell_env)
    if (name == "VIRTUAL_ENV" || name == "CONDA_PREFIX")
      context.screen.Err(fmt::format("env: {} of this shell: {}\n", name, Printable(value)));
}

Result<int> Run(Context& context, const Args& args) {
  std::optional<int> exit_code;
  auto read = ReadJobOf(context, args, exit_code);
  if (exit_code) return *exit_code;
  MUSTER_ASSIGN(JobInput input, std::move(read));
  if (!args.Has("detach")) MUSTER_TRY(RefuseInput(STDIN_FILENO));
  if (args.Has("rehearse")) return Rehearse(context, args, input);
  if (ServerIsElsewhere(args)) {
    ForgetLocalPaths(input);
    if (input.env_by_default)
      context.screen.Err(
          "env: the server is on another machine: PATH, PYTHONPATH and so on of this shell are not "
          "taken (--export inherit takes them)\n");
  }
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::string hash, TakeCode(context, *api, args, input));
  ShowPythonEnvironment(context, input);
  json::object body{{"spec", input.document}, {"user", UserName()}};
  if (!hash.empty()) body["code_hash"] = hash;
  MUSTER_ASSIGN(const Submitted submitted, SubmitOnce(*api, "/jobs", body));
  return AfterSubmit(context, *api, args, submitted, input.specs.front().TotalRanks());
}

}  // namespace

Verb RunVerb() {
  std::vector<Flag> flags = JobFlags();
  flags.push_back({"detach", 'd', nullptr, "print the id and return; the job continues"});
  flags.push_back(
      {"rehearse", 0, nullptr,
       "rehearse on this machine: start all ranks, watch until they train, and report"});
  flags.push_back(
      {"rehearse-steps", 0, "COUNT", "with --rehearse: stop after COUNT steps (default: 3)"});
  flags.push_back({"rehearse-time", 0, "TIME", "with --rehearse: time limit (default: 5m)"});
  return {.name = "run",
          .aliases = {"submit", "launch"},
          .summary = "Submit a job and watch it; the exit code is the job's",
          .words = "[JOB.yaml]",
          .most_words = 1,
          .completes = Completes::kFile,
          .flags = std::move(flags),
          .examples = {{"muster run -- echo hello", "one command, one rank"},
                       {"muster run job.yaml", "a job file; flags override it"},
                       {"muster run -N 2 -g cpu:2 -f pytorch -- python3 train.py",
                        "two nodes with two ranks each"},
                       {"muster run --rehearse job.yaml",
                        "find out on this machine whether it will start on the cluster"},
                       {"muster run -d --sweep lr=0.1,0.01 -- python3 train.py",
                        "one job per value, in the background"}},
          .run = Run,
          .takes_command = true};
}

}  // namespace muster::cli
