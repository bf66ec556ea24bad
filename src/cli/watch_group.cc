#include "cli/watch_group.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/compare.h"
#include "cli/job_view.h"
#include "cli/waiting.h"

namespace muster::cli {
namespace {

constexpr int kInterrupted = 130;
constexpr std::string_view kEraseLine = "\r\x1b[K";

class GroupWatch {
 public:
  GroupWatch(Context& context, Api& api, bool as_json, const Submitted& submitted)
      : context_(context), api_(api), as_json_(as_json), group_(submitted.group) {
    for (const auto& job : submitted.jobs) open_.push_back(job.first);
    total_ = open_.size();
  }

  Result<int> Run() {
    while (!open_.empty()) {
      const auto each = [this](const JobView& job) { Tell(job); };
      const auto pass = [this](size_t open) { DrawStatus(open); };
      MUSTER_ASSIGN(const WaitResult result,
                    WaitForJobs(api_, context_.clock, interrupts_, open_,
                                {.timeout_ms = {}, .each = each, .pass = pass}));
      for (const JobView& job : result.ended) {
        std::erase(open_, job.id);
        ended_.push_back(job);
      }
      if (result.interrupted && !OnInterrupt()) return kInterrupted;
    }
    std::ranges::sort(ended_, {}, &JobView::id);
    Clear();
    if (!as_json_) context_.screen.Out(CompareText(context_.screen, group_, ended_));
    return code_;
  }

 private:
  void Tell(const JobView& job) {
    if (code_ == 0) code_ = ExitCodeOf(job);
    Clear();
    if (as_json_) {
      context_.screen.Out(ToJson(json::object{{"event", "end"},
                                              {"id", job.id},
                                              {"state", job.state},
                                              {"reason", job.reason},
                                              {"exit_code", ExitCodeOf(job)}}) +
                          "\n");
    } else {
      context_.screen.Err(context_.screen.PaintedErr(StatePaint(job.state), Headline(job)) + "\n");
    }
  }

  bool OnInterrupt() {
    Clear();
    Choice choice = stop_asked_ ? Choice::kDetach : Choice::kStop;
    if (context_.screen.out_is_terminal) choice = AskWhatToDo();
    if (choice == Choice::kContinue) return true;
    if (choice == Choice::kDetach) {
      context_.screen.Err(fmt::format("muster: the jobs go on\n{}", GroupCommands(group_)));
      return false;
    }
    stop_asked_ = true;
    context_.screen.Err(fmt::format("muster: stopping the jobs of {}\n", group_));
    const auto answer = api_.Post(fmt::format("/groups/{}/stop", http::UrlEncode(group_)),
                                  json::object{{"user", UserName()}});
    if (!answer) Report(context_.screen, answer.error(), as_json_);
    return true;
  }

  void DrawStatus(size_t open) {
    if (!context_.screen.out_is_terminal || as_json_) return;
    context_.screen.Out(
        fmt::format("{}{}: {} of {} jobs over", kEraseLine, group_, total_ - open, total_));
    status_shown_ = true;
  }

  void Clear() {
    if (status_shown_) context_.screen.Out(kEraseLine);
    status_shown_ = false;
  }

  Context& context_;
  Api& api_;
  const bool as_json_;
  const std::string group_;
  Interrupts interrupts_;
  std::vector<JobId> open_;
  std::vector<JobView> ended_;
  size_t total_ = 0;
  int code_ = 0;
  bool stop_asked_ = false;
  bool status_shown_ = false;
};

}  // namespace

Result<int> WatchGroup(Context& context, Api& api, bool as_json, const Submitted& submitted) {
  return GroupWatch(context, api, as_json, submitted).Run();
}

std::string GroupCommands(const std::string& group) {
  return fmt::format(
      "  muster describe {0}     compare them\n"
      "  muster ps --group {0}   list them\n"
      "  muster stop --group {0} stop them\n",
      group);
}

}  // namespace muster::cli
