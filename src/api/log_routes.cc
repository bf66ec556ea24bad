#include <algorithm>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/from_pool.h"
#include "api/log_search.h"
#include "api/params.h"
#include "api/raw_log.h"
#include "api/routes.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int64_t kMostLines = 10'000;
constexpr int64_t kTailLookBack = 8 << 20;
constexpr int64_t kHighestRank = 1'000'000;

std::optional<int> QuerySmall(const http::Request& request, std::string_view name) {
  const std::optional<int64_t> number = QueryInt(request, name);
  return number ? std::optional<int>(int(*number)) : std::nullopt;
}

// kNotFound for an attempt that does not exist.
Status CheckAttempt(const Job& job, std::optional<int> attempt) {
  if (!attempt || FindAttempt(job, *attempt)) return {};
  return Fail(
      Code::kNotFound,
      fmt::format("job {} has no attempt {}; it has had {}", job.id, *attempt, job.attempts.size()),
      "leave attempt away for the latest one");
}

// kNotFound for a rank that the job will not have. Before an attempt has ranks, the job file
// determines their number.
Status CheckRank(const Job& job, std::optional<int> attempt, std::optional<int> rank) {
  if (!rank) return {};
  const Attempt* chosen = attempt ? FindAttempt(job, *attempt) : job.current();
  const bool placed = chosen != nullptr && !chosen->ranks.empty();
  const bool there =
      placed ? std::ranges::find(chosen->ranks, *rank, &RankInfo::rank) != chosen->ranks.end()
             : *rank < job.spec.TotalRanks();
  if (there) return {};
  const size_t count = placed ? chosen->ranks.size() : size_t(job.spec.TotalRanks());
  return Fail(Code::kNotFound, fmt::format("job {} has no rank {}; it has {}, counted from 0",
                                           job.id, *rank, count));
}

Status CheckNode(const Job& job, int attempt, int node) {
  const Attempt* chosen = FindAttempt(job, attempt);
  const int count = chosen == nullptr ? job.spec.TotalNodes() : int(chosen->nodes.size());
  if (node < count) return {};
  return Fail(Code::kNotFound,
              fmt::format("job {} has no node {}; it has {}, counted from 0", job.id, node, count));
}

Result<std::optional<LogPosition>> ResumePosition(const http::Request& request, const Job& job,
                                                  std::optional<int> attempt) {
  const std::string_view text = http::FindHeader(request.headers, "Last-Event-ID");
  if (text.empty()) return std::nullopt;
  MUSTER_ASSIGN(LogPosition position, ParsePosition(text));
  if (position.attempt == 0) return std::nullopt;
  if (!FindAttempt(job, position.attempt) || position.attempt != attempt.value_or(position.attempt))
    return Fail(
        Code::kInvalid,
        fmt::format("the Last-Event-ID is of attempt {}, which is not one that this stream of "
                    "job {} has",
                    position.attempt, job.id),
        "leave it away to begin anew");
  return position;
}

// "3", "0,2-4"; empty: all. Both ends of a range are ranks of the job.
Result<std::set<int>> ReadRanks(const Job& job, std::optional<int> attempt, std::string_view text) {
  std::set<int> ranks;
  if (text.empty()) return ranks;
  for (const std::string& part : Split(text, ',')) {
    const size_t dash = part.find('-');
    const auto first = ParseInt(std::string_view(part).substr(0, dash));
    const auto last = dash == part.npos ? first : ParseInt(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > kHighestRank)
      return Fail(Code::kInvalid, fmt::format("rank: found {}, expected ranks such as 3 or 0,2-4",
                                              ShellQuote(Printable(text))));
    MUSTER_TRY(CheckRank(job, attempt, int(*first)));
    MUSTER_TRY(CheckRank(job, attempt, int(*last)));
    for (int64_t rank = *first; rank <= *last; ++rank) ranks.insert(int(rank));
  }
  return ranks;
}

Result<LogStreamOptions> StreamOptions(const http::Request& request, const Job& job) {
  LogStreamOptions options;
  options.job = job.id;
  options.attempt = QuerySmall(request, "attempt");
  options.since_ms = QueryInt(request, "since");
  options.times = QueryFlag(request, "times");
  options.tail = QueryInt(request, "tail");
  options.follow = QueryFlag(request, "follow");
  MUSTER_TRY(CheckAttempt(job, options.attempt));
  MUSTER_ASSIGN(options.ranks, ReadRanks(job, options.attempt, QueryText(request, "rank")));
  MUSTER_ASSIGN(options.resume, ResumePosition(request, job, options.attempt));
  return options;
}

void StreamLogs(Context& context, const http::Request& request, http::Reply reply) {
  const Result<Job> job = context.jobs.Find(PathInt(request, "id"));
  if (!job) return reply.Send(http::ErrorResponse(job.error()));
  Result<LogStreamOptions> options = StreamOptions(request, *job);
  if (!options) return reply.Send(http::ErrorResponse(options.error()));
  reply.SendStream(EventStreamHead(),
                   std::make_unique<LogStream>(context.stream_parts(), *std::move(options)));
}

struct RawLog {
  RawLogOptions options;
  int64_t size = 0;  // current size of the file
};

Result<RawLog> RawLogFor(const Context& context, const http::Request& request, bool of_hooks) {
  MUSTER_ASSIGN(const Job job, context.jobs.Find(PathInt(request, "id")));
  const std::optional<int> attempt = QuerySmall(request, "attempt");
  const std::optional<int64_t> tail = QueryInt(request, "tail");
  const std::optional<int64_t> offset = QueryInt(request, "offset");
  if (tail && offset)
    return Fail(Code::kInvalid, "offset and tail both say where to begin", "give one of the two");
  RawLog raw;
  raw.options.job = job.id;
  if (of_hooks) {
    raw.options.hooks_of_node = int(PathInt(request, "node"));
  } else {
    raw.options.rank = int(PathInt(request, "rank"));
  }
  raw.options.attempt = attempt.value_or(job.current() ? job.current()->number : 0);
  raw.options.limit = QueryInt(request, "limit").value_or(std::numeric_limits<int64_t>::max());
  raw.options.follow = QueryFlag(request, "follow");
  raw.options.offset = offset.value_or(0);
  MUSTER_TRY(CheckAttempt(job, attempt));
  if (of_hooks) {
    MUSTER_TRY(CheckNode(job, raw.options.attempt, *raw.options.hooks_of_node));
  } else {
    MUSTER_TRY(CheckRank(job, attempt, raw.options.rank));
  }
  const auto path = RawLogPath(context.jobs, job, raw.options);
  LogFile file(path.value_or(os::Path()));
  MUSTER_ASSIGN(raw.size, path ? file.Size() : Result<int64_t>(0));
  if (tail && path) {
    MUSTER_ASSIGN(raw.options.offset, file.TailStart(*tail, kTailLookBack));
  }
  if (!raw.options.follow)
    raw.options.limit =
        std::min(raw.options.limit, std::max<int64_t>(0, raw.size - raw.options.offset));
  return raw;
}

void SendRawLog(Context& context, const http::Request& request, bool of_hooks, http::Reply reply) {
  const Result<RawLog> raw = RawLogFor(context, request, of_hooks);
  if (!raw) return reply.Send(http::ErrorResponse(raw.error()));
  http::Response head{200,
                      {{"Content-Type", "text/plain; charset=utf-8"},
                       {"X-Content-Type-Options", "nosniff"},
                       {"Cache-Control", "no-store"},
                       {"X-Muster-Offset", std::to_string(raw->options.offset)},
                       {"X-Muster-Size", std::to_string(raw->size)}},
                      ""};
  reply.SendStream(std::move(head),
                   std::make_unique<RawLogStream>(context.stream_parts(), raw->options));
}

Result<http::Response> SearchAnswer(const os::Path& file, const LogSearch& search) {
  MUSTER_ASSIGN(const LogHits found, SearchLog(file, search));
  json::array hits;
  for (const LogHit& hit : found.hits)
    hits.push_back(json::object{{"offset", hit.offset}, {"text", hit.text}});
  json::value next = nullptr;
  if (found.next) next = *found.next;
  return http::JsonResponse(200,
                            json::object{{"hits", std::move(hits)}, {"next", std::move(next)}});
}

void SearchRankLog(const ContextPtr& context, const http::Request& request, http::Reply reply) {
  const Result<Job> job = context->jobs.Find(PathInt(request, "id"));
  if (!job) return reply.Send(http::ErrorResponse(job.error()));
  const int rank = int(PathInt(request, "rank"));
  const std::optional<int> attempt = QuerySmall(request, "attempt");
  Status status = CheckAttempt(*job, attempt);
  if (status) status = CheckRank(*job, attempt, rank);
  if (!status) return reply.Send(http::ErrorResponse(status.error()));
  const int latest = job->current() ? job->current()->number : 0;
  const auto path = RankLogPath(context->jobs, *job, attempt.value_or(latest), rank);
  LogSearch search{.text = QueryText(request, "text"),
                   .regex = QueryFlag(request, "regex"),
                   .ignore_case = QueryFlag(request, "ignore_case"),
                   .offset = QueryInt(request, "offset").value_or(0),
                   .limit = int(QueryInt(request, "limit").value_or(100))};
  AnswerFromPool(context, std::move(reply),
                 [file = path.value_or(os::Path()), search = std::move(search)] {
                   return SearchAnswer(file, search);
                 });
}

std::vector<Param> SearchQuery() {
  using Kind = Param::Kind;
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  return {{"attempt", Kind::kInt, "else the latest", 1, kMaxInt},
          {"text", Kind::kText, "what to find; needed"},
          {"regex", Kind::kFlag, "1: text is a regular expression, as for grep -E"},
          {"ignore_case", Kind::kFlag, "1: in any case of letters"},
          {"offset", Kind::kInt, "begin there: the `next` of the answer before"},
          {"limit", Kind::kInt, "so many hits at most; 100 unless said", 1, 1000}};
}

std::vector<Param> StreamQuery() {
  using Kind = Param::Kind;
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  return {
      {"attempt", Kind::kInt, "this attempt alone; else the latest and those to come", 1, kMaxInt},
      {"rank", Kind::kText, "these ranks alone: 3, or 0,2-4"},
      {"tail", Kind::kInt, "begin with so many lines of each rank", 0, kMostLines},
      {"since", Kind::kInt, "begin with what was written since this wall time, in milliseconds"},
      {"times", Kind::kFlag, "1: each log event has wall_ms, when its bytes were seen"},
      {"follow", Kind::kFlag, "1: go on until the job is over"}};
}

std::vector<Param> RawQuery() {
  using Kind = Param::Kind;
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  return {{"attempt", Kind::kInt, "else the latest", 1, kMaxInt},
          {"offset", Kind::kInt, "begin after so many bytes"},
          {"limit", Kind::kInt, "so many bytes at most", 1},
          {"tail", Kind::kInt, "begin with the last so many lines, within the last 8 MiB", 0,
           kMostLines},
          {"follow", Kind::kFlag, "1: go on until the attempt is over"}};
}

}  // namespace

void AddLogRoutes(RouteTable& table, const ContextPtr& context) {
  table.AddLater(
      {.method = "GET",
       .path = "/jobs/{id}/logs",
       .id = "streamLogs",
       .summary = "The logs of all ranks in one stream, with progress and states",
       .query = StreamQuery(),
       .resumes = true,
       .answers = {{200, "events log, progress, state, error and end", "", "text/event-stream"}},
       .errors = {Code::kNotFound}},
      [context](const Call& call, http::Reply reply) {
        StreamLogs(*context, call.request, std::move(reply));
      });
  table.AddLater(
      {.method = "GET",
       .path = "/jobs/{id}/ranks/{rank}/log",
       .id = "getRankLog",
       .summary = "One rank's log, byte for byte",
       .query = RawQuery(),
       .answers = {{200, "the bytes; X-Muster-Offset and X-Muster-Size say where they stand", "",
                    "text/plain"}},
       .errors = {Code::kNotFound}},
      [context](const Call& call, http::Reply reply) {
        SendRawLog(*context, call.request, /*of_hooks=*/false, std::move(reply));
      });
  table.AddLater(
      {.method = "GET",
       .path = "/jobs/{id}/nodes/{node}/hooks",
       .id = "getHooksLog",
       .summary = "The output of a node's hooks and of its preparation, byte for byte",
       .query = RawQuery(),
       .answers = {{200, "the bytes; X-Muster-Offset and X-Muster-Size say where they stand", "",
                    "text/plain"}},
       .errors = {Code::kNotFound}},
      [context](const Call& call, http::Reply reply) {
        SendRawLog(*context, call.request, /*of_hooks=*/true, std::move(reply));
      });
  table.AddLater({.method = "GET",
                  .path = "/jobs/{id}/ranks/{rank}/search",
                  .id = "searchRankLog",
                  .summary = "Lines of one rank's log that have a text or match an expression",
                  .query = SearchQuery(),
                  .answers = {{200, "hits in their order, and where to go on", "LogHits"}},
                  .errors = {Code::kNotFound}},
                 [context](const Call& call, http::Reply reply) {
                   SearchRankLog(context, call.request, std::move(reply));
                 });
}

}  // namespace muster::api
