#include "api/event_stream.h"

#include <utility>

#include "api/answers.h"
#include "base/log.h"

namespace muster::api {
namespace {

constexpr int kRowsAtOnce = 200;

}  // namespace

json::object EventJson(const store::EventRow& row) {
  return {{"seq", row.seq},
          {"job", row.job},
          {"wall_ms", row.wall_ms},
          {"kind", row.kind},
          {"data", row.data}};
}

EventStream::EventStream(JobSource& jobs, store::Journal& journal, std::optional<JobId> job,
                         int64_t after)
    : jobs_(jobs), journal_(journal), job_(job), after_(after) {
  events_ = jobs_.OnEvents(job_, [this] {
    if (std::exchange(waiting_, false)) wake_.Ring();
  });
}

EventStream::~EventStream() { jobs_.Unwatch(events_); }

std::string EventStream::KeepAlive() { return std::string(kSseComment); }

http::Stream::Next EventStream::Read(std::string& out) {
  out.clear();
  waiting_ = false;
  // The journal is queried first: the last event of a job is written together with its final state.
  Result<bool> over = over_ ? Result<bool>(true) : IsOver();
  auto rows = journal_.Events(job_, after_, kRowsAtOnce);
  if (!over || !rows) {
    LogWarning("an event stream ends early: {}", (!over ? over.error() : rows.error()).text);
    return Next::kEnd;
  }
  over_ = *over;
  for (const store::EventRow& row : *rows) {
    AppendEvent(out, "", std::to_string(row.seq), ToJson(EventJson(row)));
    after_ = row.seq;
  }
  if (!out.empty()) return Next::kData;
  if (over_) return Next::kEnd;
  waiting_ = true;
  return Next::kWait;
}

Result<bool> EventStream::IsOver() {
  if (!job_) return false;
  MUSTER_ASSIGN(const std::optional<Job> job, journal_.FindJob(*job_));
  return !job || IsTerminal(job->state);
}

}  // namespace muster::api
