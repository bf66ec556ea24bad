#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/follow.h"
#include "cli/job_view.h"
#include "cli/verbs.h"
#include "cli/when.h"

namespace muster::cli {
namespace {

constexpr int64_t kMostEvents = 1000;  // of one answer
constexpr int64_t kShownEvents = 100;

std::string EventLine(const Screen& screen, const json::object& event, bool as_json) {
  if (as_json) return ToJson(event) + "\n";
  std::string text = fmt::format("#{}  {}  job {}  {}", GetInt(event, "seq"),
                                 WallTime(GetInt(event, "wall_ms")), GetInt(event, "job"),
                                 screen.Painted(Paint::kBold, Printable(GetString(event, "kind"))));
  if (const json::object* data = GetObject(event, "data"))
    for (const auto& [name, value] : *data) {
      const json::string* words = value.if_string();
      text += fmt::format("  {}={}", Printable(name),
                          words ? ShellQuote(Printable(*words)) : ToJson(value));
    }
  return text + "\n";
}

class EventView final : public StreamView {
 public:
  EventView(Screen& screen, bool as_json) : screen_(screen), as_json_(as_json) {}

  void Take(const http::SseEvent& event) override {
    const auto value = ParseJson(event.data);
    if (!value || !value->is_object()) return;
    if (!screen_.Out(EventLine(screen_, value->get_object(), as_json_))) broken_ = true;
  }
  void Tick() override {
    if (screen_.OutIsClosed()) broken_ = true;
  }
  void Clear() override {}
  void Say(std::string_view text) override { screen_.Err(fmt::format("muster: {}\n", text)); }
  bool ended() const override { return false; }
  bool broken() const override { return broken_; }

 private:
  Screen& screen_;
  const bool as_json_;
  bool broken_ = false;
};

Result<int> FollowEvents(Context& context, Api& api, std::string target, bool as_json) {
  FollowRequest request;
  request.target = std::move(target);
  request.on_interrupt = [] { return false; };
  EventView view(context.screen, as_json);
  Interrupts interrupts;
  MUSTER_TRY(Follow(api, view, interrupts, request));
  return 0;
}

struct EventsOptions {
  std::string path = "/events";
  std::optional<int64_t> after, limit, since_ms;
  bool as_json = false;
};

Result<EventsOptions> ReadOptions(const Context& context, const Args& args) {
  EventsOptions options;
  MUSTER_ASSIGN(options.after, args.Int("after", 0, std::numeric_limits<int64_t>::max()));
  MUSTER_ASSIGN(options.limit, args.Int("limit", 1, kMostEvents));
  if (args.Has("since")) {
    MUSTER_ASSIGN(options.since_ms, ParseWhen(args.Get("since"), context.clock.WallMs()));
  }
  if (options.after && options.since_ms)
    return Fail(Code::kInvalid, "--after and --since both say where to begin", "give one of them");
  if (!args.words.empty()) {
    MUSTER_ASSIGN(const JobId id, ParseJobId(args.words[0]));
    options.path = fmt::format("/jobs/{}/events", id);
  }
  options.as_json = args.Has("json");
  return options;
}

// The newest events, or the first ones behind --after.
std::string PageTarget(const EventsOptions& options) {
  if (options.after)
    return fmt::format("{}?after={}&limit={}", options.path, *options.after,
                       options.limit.value_or(kMostEvents));
  const int64_t standard = options.since_ms ? kMostEvents : kShownEvents;
  std::string target = fmt::format("{}?tail={}", options.path, options.limit.value_or(standard));
  if (options.since_ms) target += fmt::format("&since={}", std::max<int64_t>(0, *options.since_ms));
  return target;
}

// Says on standard error that there may be more events than were shown.
void TellOfMore(Screen& screen, const EventsOptions& options, const json::array& events) {
  const int64_t standard = options.since_ms || options.after ? kMostEvents : kShownEvents;
  if (options.limit || int64_t(events.size()) < standard) return;
  const json::object* last = options.after ? events.back().if_object() : nullptr;
  screen.Err(last ? fmt::format("muster: these are {} events; the next ones: --after {}\n",
                                events.size(), GetInt(*last, "seq"))
                  : fmt::format("muster: these are the last {} events; more with -n {}, all with "
                                "--after 0\n",
                                events.size(), kMostEvents));
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const EventsOptions options, ReadOptions(context, args));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  if (args.Has("follow")) {
    const std::string target =
        options.after ? fmt::format("{}?after={}", options.path, *options.after) : options.path;
    return FollowEvents(context, *api, target, options.as_json);
  }
  MUSTER_ASSIGN(const json::object answer, api->Get(PageTarget(options)));
  if (options.as_json) {
    context.screen.Out(ToPrettyJson(answer));
    return 0;
  }
  const json::array* events = GetArray(answer, "events");
  if (events == nullptr) return 0;
  std::string text;
  for (const json::value& event : *events)
    if (const json::object* object = event.if_object())
      text += EventLine(context.screen, *object, false);
  context.screen.Out(text);
  TellOfMore(context.screen, options, *events);
  return 0;
}

}  // namespace

Verb EventsVerb() {
  return {.name = "events",
          .aliases = {},
          .summary = "Show what happened to one job or to all, newest last",
          .words = "[ID]",
          .most_words = 1,
          .completes = Completes::kJob,
          .flags = {{"follow", 'f', nullptr, "continue as events happen"},
                    {"limit", 'n', "COUNT", "the last COUNT events, up to 1000; default 100"},
                    {"since", 0, "TIME", "only events since then: 10m, or '2026-01-31 14:05'"},
                    {"after", 0, "NUMBER", "the events that follow event number NUMBER"}},
          .examples = {{"muster events 17", "the life of job 17"},
                       {"muster events --since 1h", "all jobs, the last hour"},
                       {"muster events -f --json", "everything, one JSON object per line"}},
          .run = Run};
}

}  // namespace muster::cli
