#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/log_file.h"
#include "api/log_stream.h"
#include "api/wake_up.h"
#include "http/message.h"

namespace muster::api {

struct RawLogOptions {
  JobId job = 0;
  int rank = 0;
  std::optional<int> hooks_of_node;  // the output of this node's hooks instead of a rank's log
  int attempt = 0;                   // 0: the first one to come
  int64_t offset = 0;
  int64_t limit = INT64_MAX;
  bool follow = false;
};

// The very bytes of one rank's log, from an offset on. Without `follow` the caller has set `limit`
// to what is there; with it the stream ends once the attempt is over and all was sent.
class RawLogStream final : public http::Stream {
 public:
  RawLogStream(StreamParts parts, RawLogOptions options);
  ~RawLogStream() override;

  Next Read(std::string& out) override;
  void OnReady(std::function<void()> wake) override { wake_.Set(std::move(wake)); }

 private:
  void Look();
  bool AddWatch();
  void Ring();

  const StreamParts parts_;
  RawLogOptions options_;  // offset and limit move on
  std::optional<LogFile> file_;
  WakeUp wake_;
  uint64_t events_ = 0;
  os::FileWatch::Id watch_ = 0;
  os::Loop::Id timer_ = 0;
  bool stale_ = true;
  bool over_ = false;
  bool waiting_ = false;
};

// The file that these options name; nullopt while its rank or attempt does not exist.
std::optional<os::Path> RawLogPath(const JobSource& jobs, const Job& job,
                                   const RawLogOptions& options);

// Where a rank's log of this attempt stands; nothing while the rank has no place yet.
std::optional<os::Path> RankLogPath(const JobSource& jobs, const Job& job, int attempt, int rank);

}  // namespace muster::api
