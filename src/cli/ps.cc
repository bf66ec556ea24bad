#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "model/spec_flags.h"
#include "model/states.h"

namespace muster::cli {
namespace {

constexpr int64_t kRecentlyEnded = 10;
constexpr std::array kFilters{"state", "name", "group", "user", "label"};
constexpr int64_t kNoLimit = int64_t{1} << 40;

Result<JobQuery> ReadQuery(const Args& args) {
  JobQuery query{args.Get("state"), args.Get("name"), args.Get("group"), args.Get("user"),
                 args.Get("label")};
  if (args.Has("label")) MUSTER_TRY(SplitPair(query.label, "--label"));
  if (!args.Has("state")) return query;
  std::vector<std::string_view> names;
  for (int i = 0; i < kStateCount; ++i) names.push_back(Name(State(i)));
  for (const std::string& state : Split(query.states, ',')) {
    if (StateFromName(state)) continue;
    const std::string_view close = DidYouMean(state, names);
    return Fail(Code::kInvalid,
                fmt::format("--state: found {}, expected some of {} or {}",
                            ShellQuote(Printable(state)), kUnfinished, kEnded),
                close.empty() ? "" : fmt::format("did you mean {}?", close));
  }
  return query;
}

// All unfinished jobs and the last few finished ones.
Result<std::vector<json::object>> UsualRows(Api& api, JobQuery query, int64_t limit) {
  query.states = kUnfinished;
  MUSTER_ASSIGN(auto rows, ListJobs(api, query, limit));
  query.states = kEnded;
  MUSTER_ASSIGN(auto ended, ListJobs(api, query, std::min(limit, kRecentlyEnded)));
  std::ranges::move(ended, std::back_inserter(rows));
  std::ranges::sort(rows, std::greater<>(),
                    [](const json::object& row) { return GetInt(row, "id"); });
  if (int64_t(rows.size()) > limit) rows.resize(size_t(limit));
  return rows;
}

std::string RanFor(const json::object& row, int64_t now_ms) {
  const int64_t started = GetInt(row, "started_ms");
  if (started <= 0) return "-";
  const int64_t ended = GetInt(row, "ended_ms");
  return HumanDuration(std::max<int64_t>(0, (ended > 0 ? ended : now_ms) - started));
}

// Why a job waits or how it ended; of a running job how far it is, and when it has been silent for
// long.
std::string Reason(const json::object& row, int64_t now_ms) {
  constexpr int64_t kSilentMs = 600'000;
  std::vector<std::string> parts;
  for (const char* key : {"reason", "progress"})
    if (const auto text = GetString(row, key); !text.empty()) parts.push_back(Printable(text));
  const int64_t output = GetInt(row, "output_ms");
  if (output > 0 && now_ms - output >= kSilentMs)
    parts.push_back("no output for " + HumanDuration(now_ms - output));
  return Join(parts, " · ");
}

std::string RowsText(const Screen& screen, const std::vector<json::object>& rows, int64_t now_ms) {
  Table table({{"ID", true},
               {"NAME"},
               {"STATE"},
               {"FRAMEWORK"},
               {"NODES", true},
               {"DEVICES"},
               {"GROUP"},
               {"AGE", true},
               {"RAN", true},
               {"REASON"}});
  for (const json::object& row : rows) {
    const std::string state(GetString(row, "state"));
    const int64_t age = std::max<int64_t>(0, now_ms - GetInt(row, "created_ms"));
    table.Add({std::to_string(GetInt(row, "id")), std::string(GetString(row, "name")),
               Cell(state, StatePaint(state)), std::string(GetString(row, "framework")),
               std::to_string(GetInt(row, "nodes")), std::string(GetString(row, "devices")),
               std::string(GetString(row, "group")), HumanDuration(age), RanFor(row, now_ms),
               Reason(row, now_ms)});
  }
  return table.Render(screen);
}

void PrintGroups(Context& context, const std::vector<json::object>& rows) {
  std::set<std::string> groups;
  for (const json::object& row : rows) groups.emplace(GetString(row, "group"));
  std::string text;
  for (const std::string& group : groups)
    if (!group.empty()) text += Printable(group) + "\n";
  context.screen.Out(text);
}

void PrintRows(Context& context, const Args& args, const std::vector<json::object>& rows) {
  if (args.Has("groups")) return PrintGroups(context, rows);
  if (args.Has("ids")) {
    std::string ids;
    for (const json::object& row : rows) ids += fmt::format("{}\n", GetInt(row, "id"));
    context.screen.Out(ids);
  } else if (args.Has("json")) {
    context.screen.Out(ToPrettyJson(json::object{{"jobs", json::array(rows.begin(), rows.end())}}));
  } else if (rows.empty()) {
    const bool filtered =
        std::ranges::any_of(kFilters, [&](const char* flag) { return args.Has(flag); });
    context.screen.Err(filtered ? "No job matches these filters.\n"
                                : "There are no jobs. To submit one: muster run -- echo hello\n");
  } else {
    context.screen.Out(RowsText(context.screen, rows, context.clock.WallMs()));
  }
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const JobQuery query, ReadQuery(args));
  MUSTER_ASSIGN(const auto said_limit, args.Int("limit", 1, 1'000'000));
  const int64_t limit = said_limit.value_or(kNoLimit);
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  const bool everything = args.Has("all") || args.Has("state") || args.Has("group");
  MUSTER_ASSIGN(const auto rows,
                everything ? ListJobs(*api, query, limit) : UsualRows(*api, query, limit));
  PrintRows(context, args, rows);
  return 0;
}

}  // namespace

Verb PsVerb() {
  return {.name = "ps",
          .aliases = {"queue", "ls"},
          .summary = "List jobs: all that are not over, and the last ten that are",
          .flags = {{"all", 'a', nullptr, "all jobs"},
                    {"state", 's', "STATES", "jobs in these states, such as queued,running", false,
                     Completes::kState},
                    {"name", 'J', "NAME", "jobs of this name"},
                    {"group", 'G', "GROUP", "the jobs of a sweep", false, Completes::kGroup},
                    {"user", 'u', "USER", "jobs of this user"},
                    {"label", 'l', "NAME=VALUE", "jobs with this label"},
                    {"limit", 'n', "COUNT", "at most so many, newest first"},
                    {"ids", 'q', nullptr, "print ids only, one per line"},
                    {"groups", 0, nullptr, "print the names of groups only, one per line"}},
          .examples = {{"muster ps", "what runs and what waits"},
                       {"muster ps -a --state failed -n 20", "the last twenty failures"},
                       {"muster stop $(muster ps -q --state queued)", "empty the queue"}},
          .run = Run};
}

}  // namespace muster::cli
