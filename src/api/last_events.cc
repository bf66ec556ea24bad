#include "api/last_events.h"

#include <algorithm>

namespace muster::api {
namespace {

constexpr int kPage = 1000;

// All events behind a seq, but only the newest `count`.
Result<std::vector<store::EventRow>> NewestAfter(store::Journal& journal, std::optional<JobId> job,
                                                 int64_t after, size_t count) {
  std::vector<store::EventRow> newest;
  while (true) {
    MUSTER_ASSIGN(std::vector<store::EventRow> rows, journal.Events(job, after, kPage));
    const bool last = rows.size() < size_t(kPage);
    if (!rows.empty()) after = rows.back().seq;
    std::ranges::move(rows, std::back_inserter(newest));
    if (newest.size() > count) newest.erase(newest.begin(), newest.end() - ptrdiff_t(count));
    if (last) return newest;
  }
}

}  // namespace

Result<std::vector<store::EventRow>> LastEvents(store::Journal& journal, std::optional<JobId> job,
                                                size_t count, int64_t since_ms) {
  std::vector<store::EventRow> events;
  MUSTER_ASSIGN(const int64_t last, journal.LastEventSeq());
  // Removed jobs leave gaps in the numbers: the window grows until it holds enough.
  for (int64_t window = int64_t(count) + 16;; window *= 8) {
    const int64_t after = job ? 0 : std::max<int64_t>(0, last - window);
    MUSTER_ASSIGN(events, NewestAfter(journal, job, after, count));
    if (after == 0 || events.size() >= count) break;
  }
  std::erase_if(events, [since_ms](const store::EventRow& row) { return row.wall_ms < since_ms; });
  return events;
}

}  // namespace muster::api
