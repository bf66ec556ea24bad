#include "cli/watch.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/ending.h"
#include "cli/follow.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/log_view.h"
#include "cli/watch_group.h"

namespace muster::cli {
namespace {

constexpr int kLastLines = 20;
constexpr size_t kMostIds = 8;    // in a message
constexpr int kBrokenPipe = 141;  // as a shell reports SIGPIPE
constexpr int kInterrupted = 130;

// Follows one job to its end.
class JobWatch {
 public:
  JobWatch(Context& context, Api& api, bool as_json, JobId id, int ranks)
      : context_(context),
        api_(api),
        as_json_(as_json),
        id_(id),
        view_(context.screen, context.clock, ViewOptions(ranks)) {}

  Result<int> Run() {
    FollowRequest request;
    request.target = fmt::format("/jobs/{}/logs?follow=1", id_);
    request.on_interrupt = [this] { return OnInterrupt(); };
    MUSTER_ASSIGN(const Followed how, Follow(api_, view_, interrupts_, request));
    switch (how) {
      case Followed::kBroken:
        return kBrokenPipe;
      case Followed::kLeft:
        context_.screen.Err(fmt::format("muster: job {} goes on\n{}", id_, NextCommands(id_)));
        return kInterrupted;
      case Followed::kComplete:
      case Followed::kEnded:
        break;
    }
    view_.Finish();
    Finish();
    return view_.end() ? view_.end()->exit_code : 1;
  }

 private:
  LogViewOptions ViewOptions(int ranks) const {
    LogViewOptions options;
    options.lines.prefixes = ranks > 1;
    options.safe = context_.screen.out_is_terminal;
    options.live = context_.screen.out_is_terminal && !as_json_;
    options.as_json = as_json_;
    options.tell_states = true;
    options.title = fmt::format("job {}", id_);
    return options;
  }

  // On a terminal the user says what was meant; elsewhere the first Ctrl-C stops the job and the
  // second leaves it.
  bool OnInterrupt() {
    Choice choice = stop_asked_ ? Choice::kDetach : Choice::kStop;
    if (context_.screen.out_is_terminal) choice = AskWhatToDo();
    if (choice != Choice::kStop) return choice == Choice::kContinue;
    stop_asked_ = true;
    view_.Say(fmt::format("stopping job {}", id_));
    const auto answer =
        api_.Post(fmt::format("/jobs/{}/stop", id_), json::object{{"user", UserName()}});
    if (!answer && answer.error().code != Code::kConflict) view_.Say(answer.error().text);
    return true;
  }

  void Finish() {
    if (as_json_) return;
    const auto answer = GetJob(api_, id_);
    if (!answer) {
      view_.Say(fmt::format("job {} {}", id_, view_.end() ? view_.end()->state : "ended"));
      return;
    }
    const JobView job = ReadJob(*answer);
    context_.screen.Err(EndingText(context_.screen, job, FailingLines(api_, job, kLastLines)));
  }

  Context& context_;
  Api& api_;
  const bool as_json_;
  const JobId id_;
  LogView view_;
  Interrupts interrupts_;
  bool stop_asked_ = false;
};

void TellSubmitted(Context& context, const Submitted& submitted) {
  if (const auto warning = GetString(submitted.raw, "warning"); !warning.empty())
    context.screen.Err(fmt::format("muster: warning: {} can never start on this server: {}\n",
                                   submitted.group.empty() ? "the job" : "these jobs",
                                   Printable(warning)));
  if (submitted.group.empty()) {
    const auto& [id, name] = submitted.jobs.front();
    context.screen.Err(fmt::format("job {} ({})\n{}", id, name, NextCommands(id)));
    return;
  }
  std::string text =
      fmt::format("group {}, {}:", submitted.group, Counted(int64_t(submitted.jobs.size()), "job"));
  const size_t count = submitted.jobs.size();
  for (size_t i = 0; i < count; ++i) {
    if (count > kMostIds && i == kMostIds - 1) {  // the ids of a sweep are in a row
      text += fmt::format(" … {}", submitted.jobs.back().first);
      break;
    }
    text += fmt::format(" {}", submitted.jobs[i].first);
  }
  context.screen.Err(text + "\n" + GroupCommands(submitted.group));
}

void PrintDetached(Context& context, const Submitted& submitted, bool as_json) {
  if (as_json) {
    context.screen.Out(ToPrettyJson(submitted.raw));
    return;
  }
  std::string ids;
  for (const auto& job : submitted.jobs) ids += fmt::format("{}\n", job.first);
  context.screen.Out(ids);
}

}  // namespace

Result<int> AfterSubmit(Context& context, Api& api, const Args& args, const Submitted& submitted,
                        int ranks) {
  const bool as_json = args.Has("json");
  if (!as_json) TellSubmitted(context, submitted);
  if (args.Has("detach")) {
    PrintDetached(context, submitted, as_json);
    return 0;
  }
  if (as_json) {
    json::object line{{"event", "submitted"}};
    for (const auto& [name, value] : submitted.raw) line[name] = value;
    context.screen.Out(ToJson(line) + "\n");
  }
  if (!submitted.group.empty()) return WatchGroup(context, api, as_json, submitted);
  return JobWatch(context, api, as_json, submitted.jobs.front().first, ranks).Run();
}

}  // namespace muster::cli
