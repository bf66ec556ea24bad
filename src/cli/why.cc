#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_view.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

std::string WhyText(const Screen& screen, const json::object& why) {
  const std::string state = Printable(GetString(why, "state"));
  const std::string reason = Printable(GetString(why, "text"));
  std::string text =
      state == "queued"
          ? fmt::format("job {} is queued: {}\n", GetInt(why, "id"), reason)
          : fmt::format("job {}: {}\n", GetInt(why, "id"),
                        reason.empty() ? screen.Painted(StatePaint(state), state) : reason);
  const int64_t position = GetInt(why, "position");
  const int64_t expected = GetInt(why, "expected_ms");
  text += Facts(screen,
                {{"position", position > 0 ? fmt::format("{} in the queue", position) : ""},
                 {"expected", expected > 0 ? "starts about " + WallTime(expected) : ""},
                 {"way out", Printable(GetString(why, "way_out"))}},
                2);
  if (!GetBool(why, "can_ever_fit", true))
    text += "  No node of this server can ever hold it; change what it asks for.\n";
  return text;
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const JobId id, ParseJobId(args.words[0]));
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const json::object why, api->Get(fmt::format("/jobs/{}/why", id)));
  context.screen.Out(args.Has("json") ? ToPrettyJson(why) : WhyText(context.screen, why));
  return 0;
}

}  // namespace

Verb WhyVerb() {
  return {.name = "why",
          .aliases = {},
          .summary = "Say why a job waits, with numbers, and what would let it start",
          .words = "ID",
          .least_words = 1,
          .most_words = 1,
          .completes = Completes::kQueuedJob,
          .examples = {{"muster why 17", "what job 17 waits for"}},
          .run = Run};
}

}  // namespace muster::cli
