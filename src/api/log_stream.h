#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/job_source.h"
#include "api/log_file.h"
#include "api/log_index.h"
#include "api/log_position.h"
#include "api/series.h"
#include "api/wake_up.h"
#include "http/message.h"
#include "os/file_watch.h"
#include "os/loop.h"

namespace muster::api {

// The objects that streams over files use; all outlive them.
struct StreamParts {
  JobSource& jobs;
  os::Loop& loop;
  os::FileWatch& files;
};

struct LogStreamOptions {
  JobId job = 0;
  std::optional<int> attempt;       // only this attempt; otherwise the latest and following ones
  std::set<int> ranks;              // these; empty: all
  std::optional<int64_t> tail;      // initial lines per rank
  std::optional<int64_t> since_ms;  // begin with what was written since this wall time
  bool times = false;               // each log event says when its bytes were seen
  bool follow = false;
  std::optional<LogPosition> resume;
};

// The logs of a job's ranks as one stream of server-sent events, with progress and states. It
// stores positions in files and no content: a slow reader costs descriptors only. `end` follows
// when the job has ended and every byte was sent.
class LogStream final : public http::Stream {
 public:
  LogStream(StreamParts parts, LogStreamOptions options);
  ~LogStream() override;

  Next Read(std::string& out) override;
  void OnReady(std::function<void()> wake) override { wake_.Set(std::move(wake)); }
  std::string KeepAlive() override;

 private:
  struct RankLog {
    int rank = 0;
    LogFile file = {};
    LogIndex index = {};
    std::optional<int64_t> offset = {};      // sent bytes; nothing before the first look
    int64_t end = INT64_MAX;                 // without `follow`: the size at the first look
    std::optional<int64_t> held_since = {};  // since when an incomplete line waits (steady time)
    bool ready = true;                       // more bytes may be available
    os::FileWatch::Id watch = 0;
  };
  struct NodeSeries {
    Series series = {};
    bool ready = true;
    os::FileWatch::Id watch = 0;
  };
  // The state of the job at the last look.
  struct View {
    State state = State::kQueued;
    std::string reason;
    int exit_code = 0;
    int latest = 0;  // attempt
    bool terminal = false;
    bool operator==(const View&) const = default;
  };

  void Look(std::string& out);
  void AddRanks(const Attempt& attempt);
  void SetOver();
  bool MoveOn();
  void AppendState(std::string& out);
  void AppendProgress(std::string& out);
  void AppendLogs(std::string& out);
  bool AppendSlice(RankLog& log, std::string& out);
  std::optional<int64_t> ResumeOffset(int rank) const;
  Status Place(RankLog& log);
  bool Hold(RankLog& log);
  bool IsChosen(int rank) const { return options_.ranks.empty() || options_.ranks.contains(rank); }
  void AppendLog(const RankLog& log, std::string_view text, int64_t wall_ms,
                 std::string& out) const;
  void AppendEnd(std::string& out);
  void Fail(const Error& error, std::string& out);
  bool AddWatches();
  void DropWatches();
  void StartTimer();
  void OnTimer();
  void OnReasonTimer();
  void Ring();
  bool flushes() const { return over_ || !options_.follow; }

  const StreamParts parts_;
  const LogStreamOptions options_;
  WakeUp wake_;
  uint64_t events_ = 0;
  os::Loop::Id timer_ = 0;
  os::Loop::Id reason_timer_ = 0;

  View view_;
  std::optional<View> sent_;   // the state that the client has received
  int attempt_ = 0;            // the attempt being sent; 0 for none
  bool first_attempt_ = true;  // `tail` and `resume` apply to this attempt
  bool over_ = false;          // its logs are complete
  std::vector<RankLog> ranks_;
  std::vector<NodeSeries> series_;
  std::set<int> known_ranks_, known_nodes_;  // those in ranks_ and series_
  size_t next_ = 0;                          // the rank whose turn is next
  bool stale_ = true;                        // the job may have changed
  bool waiting_ = false;
  bool done_ = false;
};

}  // namespace muster::api
