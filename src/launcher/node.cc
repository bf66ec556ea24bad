#include "launcher/node.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "launcher/agent.h"
#include "launcher/check_view.h"
#include "launcher/pre_start.h"
#include "launcher/stage.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLongestAwaitMs = 120'000;
constexpr int64_t kAwaitPauseMs = 50;
constexpr int64_t kJoinLateMs = 200;

bool HasWorkingRanks(const NodeOrder& order) {
  return std::ranges::any_of(order.ranks, [](const auto& rank) { return !rank.service; });
}

ExitReport NotStarted(std::string cause, int code, ExitClass how = ExitClass::kCouldNotStart) {
  ExitReport report{.how = how, .code = code};
  report.detail = std::move(cause);
  return report;
}

// The exit code by which clients of the platform recognise that the code could not be fetched.
int CodeWithoutCode(const NodeOrder& order) {
  return order.platform.starts_with("modelarts") ? 127 : 0;
}

}  // namespace

Node::Node(os::Loop& loop, RecordWriter& record, NodeOrder order, Ground ground,
           std::function<void()> done)
    : loop_(loop),
      record_(record),
      order_(std::move(order)),
      ground_(std::move(ground)),
      done_(std::move(done)),
      starter_(order_, ground_.group, ground_.companions),
      ranks_(order_, starter_),
      hooks_(order_, starter_),
      stage_step_(loop, order_, hooks_, record),
      shipper_(loop, order_, hooks_, starter_),
      agents_(loop, order_, starter_),
      meeting_(loop),
      follower_(loop, order_,
                [this](std::string text) { record_.Append(StageNote{std::move(text)}); }),
      gang_watch_(loop, order_, follower_, record),
      limit_(loop),
      control_(loop, order_.attempt_dir, [this](const auto& line) { OnControl(line); }),
      signals_(
          loop, [this](const auto& children) { OnChildren(children); },
          [this] { Ask({StoppedBy::kUser, "the launcher was told to end", -1}); }) {}

Node::~Node() {
  loop_.Cancel(deadline_);
  loop_.Cancel(look_);
  loop_.Cancel(awaiting_);
  loop_.Cancel(joining_);
}

void Node::Begin() {
  const RecordWriter::Gathering gathering(record_);
  record_.Append(LauncherBegan{order_.token, getpid(), ground_.start_ticks, ground_.host,
                               ground_.group ? ground_.group->name() : "", ground_.notes,
                               ground_.boot});
  if (order_.agent) {
    Status status = agents_.Listen();
    if (status) {
      status = os::WriteFileAtomic(os::Path(order_.attempt_dir) / "hosts.json",
                                   ToPrettyJson(HostsDocument(order_)), 0644, false);
    }
    if (!status) return FailNode(-1, NotStarted(status.error().text, 0), status.error().text);
  }
  if (order_.rendezvous && order_.rendezvous->serve) {
    if (const auto status = meeting_.Listen(*order_.rendezvous); !status)
      return FailNode(-1, NotStarted(status.error().text, 0), status.error().text);
  }
  control_.Read();  // a stop may precede this launcher
  if (Undisturbed()) StageIn();
}

void Node::StageIn() {
  if (stage_step_.IsNeeded() && stage_step_.BringsCode()) return Fetch();
  if (!order_.code_dir.empty()) record_.WriteNow();  // copying may be slow
  const auto done = Stage(order_, loop_.clock(), [this] { return !control_.HasNews(); });
  if (!done && done.error().sys == ECANCELED) {
    control_.Read();
    if (!Undisturbed()) return;
    return StageIn();  // the message was not for this node
  }
  if (!done) {
    const std::string& text = done.error().text;
    return FailNode(-1, NotStarted(text, CodeWithoutCode(order_)),
                    fmt::format("{} could not be prepared: {}", order_.node_name, text));
  }
  if (done->files > 0) {
    record_.Append(*done);
    control_.Read();
    if (!Undisturbed()) return;
  }
  if (!order_.boot_file.empty() && access(order_.boot_file.c_str(), F_OK) != 0) {
    const std::string text = fmt::format(
        "the boot file {} is missing: check `run` and the code folder", order_.boot_file);
    return FailNode(-1, NotStarted(text, CodeWithoutCode(order_)),
                    fmt::format("{}: {}", order_.node_name, text));
  }
  stage_step_.IsNeeded() ? Fetch() : PreStart();
}

void Node::Fetch() {
  phase_ = Phase::kFetch;
  if (const auto status = stage_step_.Start(); !status)
    FailNode(
        -1, NotStarted(status.error().text, 0),
        fmt::format("{} cannot copy from or to far: {}", order_.node_name, status.error().text));
}

void Node::AfterFetch(const ExitReport& report) {
  if (Undisturbed() && stage_step_.IsDueAgain(report)) return Fetch();
  if (const auto status = stage_step_.Finish(report); !status)
    return FailNode(
        -1, NotStarted(status.error().text, CodeWithoutCode(order_), ExitClass::kNotFetched),
        fmt::format("{} {}", order_.node_name, status.error().text));
  stage_step_.BringsCode() ? StageIn() : PreStart();
}

void Node::PreStart() {
  Status inputs = CheckLocalInputs(order_);
  if (inputs) inputs = CheckView(order_);
  if (!inputs) {
    const std::string text = fmt::format("{}; {}", inputs.error().text, inputs.error().next);
    return FailNode(-1, NotStarted(text, CodeWithoutCode(order_), ExitClass::kNotFetched),
                    fmt::format("{}: {}", order_.node_name, text));
  }
  if (!order_.pre_start) return SetUp();
  phase_ = Phase::kPreStart;
  const std::string& name = order_.pre_start->name;
  if (const auto status = hooks_.StartWords(name, PreStartWords(order_)); !status)
    FailNode(-1, NotStarted(status.error().text, 0),
             fmt::format("{} on {}: {}", name, order_.node_name, status.error().text));
}

void Node::TakeExports() {
  const auto dump = os::ReadFile(PreStartFile(order_));
  if (!dump)
    return LogWarning("what {} exported is lost: {}", order_.pre_start->name, dump.error().text);
  for (const auto& [name, value] : Exported(hooks_.Begun().entries(), *dump)) {
    std::erase_if(order_.env, [&](const auto& pair) { return pair.first == name; });
    order_.env.emplace_back(name, value);
  }
}

void Node::SetUp() {
  if (order_.hooks.setup.empty()) return AwaitMeeting();
  phase_ = Phase::kSetup;
  if (const auto status = hooks_.Start("setup", order_.hooks.setup); !status)
    FailNode(-1, NotStarted(status.error().text, 0),
             fmt::format("setup hook on {}: {}", order_.node_name, status.error().text));
}

// A rank of Horovod fails if the rendezvous does not accept connections yet.
void Node::AwaitMeeting() {
  if (!order_.rendezvous || order_.rendezvous->serve || CanConnect(*order_.rendezvous))
    return StartRanks();
  const int64_t now_ms = loop_.clock().SteadyMs();
  if (await_until_ms_ == 0) await_until_ms_ = now_ms + kLongestAwaitMs;
  if (now_ms >= await_until_ms_) {
    const std::string text =
        fmt::format("nobody served the meeting point {}:{} within {}", order_.rendezvous->address,
                    order_.rendezvous->port, HumanDuration(kLongestAwaitMs));
    return FailNode(-1, NotStarted(text, 0), fmt::format("{}: {}", order_.node_name, text));
  }
  awaiting_ = loop_.After(kAwaitPauseMs, [this] {
    if (Undisturbed()) AwaitMeeting();
  });
}

void Node::StartRanks() {
  phase_ = Phase::kRanks;
  auto [lines, failed] = ranks_.StartAll();
  if (failed) lines.emplace_back(*failed);
  if (!lines.empty()) record_.Append(std::move(lines));
  if (ground_.group)
    joining_ = loop_.After(kJoinLateMs, [this] {
      joining_ = 0;
      ground_.group->JoinLate();
    });
  follower_.Start();
  if (failed) return OnRankFailure(*failed);
  shipper_.Start();
  gang_watch_.Start();
  StartLimit();
  Settle();
}

void Node::StartLimit() {
  const LimitPlan plan = PlanLimit(order_);
  const auto warn = [this, plan] {
    warning_signal_ = plan.signal;
    record_.Append(WarningSent{SignalName(plan.signal), *plan.stop_ms - *plan.warn_ms});
    ranks_.Warn(plan.signal);
  };
  const auto stop = [this, plan] {
    const std::string detail =
        fmt::format("the time limit of {} is over", HumanDuration(*plan.stop_ms));
    control_.Tell({StoppedBy::kTimeLimit, order_.node, -1, detail, -1});
    Ask({StoppedBy::kTimeLimit, detail, -1});
  };
  limit_.Start(plan, warn, stop);
}

void Node::OnChildren(const std::vector<EndedChild>& children) {
  const RecordWriter::Gathering gathering(record_);
  std::vector<RankEnded> ranks;
  std::optional<ExitReport> hook;
  bool shipped = false;
  for (const auto& child : children) {
    if (auto rank = ranks_.Take(child, {wish_.by, false, warning_signal_})) {
      ranks.push_back(std::move(*rank));
    } else if (auto ended = hooks_.Take(child)) {
      hook = std::move(ended);
    } else if (shipper_.Take(child)) {
      shipped = true;
    } else {
      agents_.Take(child);  // the others are adopted orphans
    }
  }
  if (!ranks.empty()) AfterRanks(ranks);
  if (hook) AfterHook(*hook);
  if (shipped && ranks.empty() && !hook) Settle();
}

void Node::AfterRanks(const std::vector<RankEnded>& ended) {
  std::vector<RankEnded> sorted = ended;
  std::ranges::sort(sorted, {},
                    [](const auto& one) { return std::pair(CauseOrder(one.exit), one.rank); });
  record_.Append(std::vector<RecordBody>(sorted.begin(), sorted.end()));
  const auto bad = std::ranges::find_if(
      sorted, [](const auto& one) { return one.exit.how != ExitClass::kSucceeded; });
  if (bad != sorted.end() && return_code_ == 0) return_code_ = ShellExitCode(bad->exit);
  if (Undisturbed() && bad != sorted.end()) return OnRankFailure(*bad);
  if (Undisturbed() && ranks_.living_working() == 0) gang_watch_.Finish();
  Settle();
}

void Node::OnRankFailure(const RankEnded& ended) {
  if (ended.exit.how == ExitClass::kTimedOut)
    return Stop({StoppedBy::kTimeLimit, ended.exit.detail, -1});
  FailNode(ended.rank, ended.exit,
           fmt::format("rank {} on {} {}", ended.rank, order_.node_name, Describe(ended.exit)));
}

// Decides whether the node has finished, after one of its processes ended.
void Node::Settle() {
  if (!Undisturbed()) {
    if (Idle()) On(StopEvent::kAllEnded);
    return;
  }
  const bool alone = order_.node_count == 1;
  if (ranks_.living() == 0) {
    // A node without ranks serves the others until the server ends it.
    const bool over = alone || !order_.ranks.empty();
    // Otherwise when the sync process has ended.
    if (over && !shipper_.End()) On(StopEvent::kAllEnded);
  } else if (alone && ranks_.living_working() == 0 && HasWorkingRanks(order_)) {
    Stop({StoppedBy::kRoleEnd, "the working ranks have ended", -1});
  }
}

void Node::AfterHook(const ExitReport& report) {
  switch (state_) {
    case StopState::kRunning: {
      if (phase_ == Phase::kFetch) return AfterFetch(report);
      const bool pre_start = phase_ == Phase::kPreStart;
      if (report.how == ExitClass::kSucceeded) {
        if (!pre_start) return AwaitMeeting();
        TakeExports();
        return SetUp();
      }
      const std::string name = pre_start ? order_.pre_start->name : "setup hook";
      const std::string how =
          fmt::format("{}{} {}; its output: muster logs --hooks {}", pre_start ? "" : "the ", name,
                      Describe(report), order_.job);
      return FailNode(-1, NotStarted(how, report.code),
                      fmt::format("{} on {} {}", name, order_.node_name, Describe(report)));
    }
    case StopState::kHook:
      return On(StopEvent::kHookEnded);
    case StopState::kAsked:
    case StopState::kSweeping:
      return Settle();
    case StopState::kClean:
      return SweepAgain();
  }
}

void Node::OnControl(const ControlLine& line) {
  if (line.node == order_.node) return;  // written by this node and handled already
  switch (line.by) {
    case StoppedBy::kNobody:
      return;
    case StoppedBy::kRoleEnd:
      if (HasWorkingRanks(order_) && (phase_ != Phase::kRanks || ranks_.living_working() > 0))
        return;  // too early for this node
      break;
    default:
      break;
  }
  Ask({line.by, line.detail, line.grace_ms});
}

void Node::FailNode(int rank, ExitReport exit, std::string what) {
  if (failed_ || !Undisturbed()) return;
  failed_ = true;
  if (return_code_ == 0) return_code_ = ShellExitCode(exit);
  record_.Append(NodeFailed{rank, std::move(exit), what});
  record_.WriteNow();
  control_.Tell({StoppedBy::kRankFailure, order_.node, rank, what, -1});
  Stop({StoppedBy::kRankFailure, std::move(what), -1});
}

}  // namespace muster::launcher
