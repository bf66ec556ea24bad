#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/job_source.h"
#include "api/wake_up.h"
#include "base/json.h"
#include "http/message.h"
#include "store/journal.h"

namespace muster::api {

// The journal's events as server-sent events from a `seq`: for one job until it has ended, or for
// all jobs without end.
class EventStream final : public http::Stream {
 public:
  EventStream(JobSource& jobs, store::Journal& journal, std::optional<JobId> job, int64_t after);
  ~EventStream() override;

  Next Read(std::string& out) override;
  void OnReady(std::function<void()> wake) override { wake_.Set(std::move(wake)); }
  std::string KeepAlive() override;

 private:
  Result<bool> IsOver();

  JobSource& jobs_;
  store::Journal& journal_;
  const std::optional<JobId> job_;
  int64_t after_;
  WakeUp wake_;
  uint64_t events_ = 0;
  bool over_ = false;
  bool waiting_ = false;
};

json::object EventJson(const store::EventRow& row);

}  // namespace muster::api
