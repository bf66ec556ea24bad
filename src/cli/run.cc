#include "cli/connect.h"
#include "cli/job_flags.h"
#include "cli/job_input.h"
#include "cli/rehearse.h"
#include "cli/submit.h"
#include "cli/take_code.h"
#include "cli/verbs.h"
#include "cli/watch.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
  std::error_code error;
  const os::Path here = std::filesystem::current_path(error);
  if (error) return FailErrno(error.value(), "find the current folder");
  MUSTER_ASSIGN(const JobInput input, ReadJobInput(args, here));
  if (args.Has("rehearse")) return Rehearse(context, args, input);
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const std::string hash, TakeCode(context, *api, args, input));
  json::object body{{"spec", input.document}, {"user", UserName()}};
  if (!hash.empty()) body["code_hash"] = hash;
  MUSTER_ASSIGN(const Submitted submitted, SubmitOnce(*api, "/jobs", body));
  return AfterSubmit(context, *api, args, submitted, input.specs.front().TotalRanks());
}

}  // namespace

Verb RunVerb() {
  std::vector<Flag> flags = JobFlags();
  flags.push_back({"detach", 'd', nullptr, "print the id and leave; the job goes on"});
  flags.push_back(
      {"rehearse", 0, nullptr,
       "only rehearse: the whole layout on this machine until it trains; does it start?"});
  flags.push_back({"rehearse-steps", 0, "COUNT", "with --rehearse: so many steps are enough (3)"});
  flags.push_back({"rehearse-time", 0, "TIME", "with --rehearse: look no longer than this (5m)"});
  return {.name = "run",
          .aliases = {"submit", "launch"},
          .summary = "Submit a job and watch it; the exit code is the job's",
          .words = "[JOB.yaml]",
          .most_words = 1,
          .completes = Completes::kFile,
          .flags = std::move(flags),
          .examples = {{"muster run -- echo hello", "one command, one rank"},
                       {"muster run job.yaml", "a job file; flags win over it"},
                       {"muster run -N 2 -g cpu:2 -f pytorch -- python3 train.py",
                        "two nodes with two ranks each"},
                       {"muster run --rehearse job.yaml",
                        "will it start on the cluster? Asked of this machine"},
                       {"muster run -d --sweep lr=0.1,0.01 -- python3 train.py",
                        "one job for each value, in the background"}},
          .run = Run,
          .takes_command = true};
}

}  // namespace muster::cli
