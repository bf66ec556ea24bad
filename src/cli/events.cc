#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/follow.h"
#include "cli/job_view.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

std::string EventLine(const Screen& screen, const json::object& event, bool as_json) {
  if (as_json) return ToJson(event) + "\n";
  std::string text =
      fmt::format("{}  job {}  {}", WallTime(GetInt(event, "wall_ms")), GetInt(event, "job"),
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
  void Tick() override {}
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

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto after, args.Int("after", 0, std::numeric_limits<int64_t>::max()));
  MUSTER_ASSIGN(const auto limit, args.Int("limit", 1, 1000));
  std::string target = "/events";
  if (!args.words.empty()) {
    MUSTER_ASSIGN(const JobId id, ParseJobId(args.words[0]));
    target = fmt::format("/jobs/{}/events", id);
  }
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  target += fmt::format("?after={}", after.value_or(0));
  const bool as_json = args.Has("json");
  if (args.Has("follow")) return FollowEvents(context, *api, target, as_json);
  MUSTER_ASSIGN(const json::object answer,
                api->Get(fmt::format("{}&limit={}", target, limit.value_or(1000))));
  if (as_json) {
    context.screen.Out(ToPrettyJson(answer));
    return 0;
  }
  std::string text;
  if (const json::array* events = GetArray(answer, "events"))
    for (const json::value& event : *events)
      if (const json::object* object = event.if_object())
        text += EventLine(context.screen, *object, false);
  context.screen.Out(text);
  return 0;
}

}  // namespace

Verb EventsVerb() {
  return {.name = "events",
          .aliases = {},
          .summary = "Tell what happened, to one job or to all",
          .words = "[ID]",
          .most_words = 1,
          .completes = Completes::kJob,
          .flags = {{"follow", 'f', nullptr, "go on as things happen"},
                    {"after", 0, "NUMBER", "events behind this one"},
                    {"limit", 'n', "COUNT", "at most so many, up to 1000"}},
          .examples = {{"muster events 17", "the life of job 17"},
                       {"muster events -f --json", "everything, one JSON object a line"}},
          .run = Run};
}

}  // namespace muster::cli
