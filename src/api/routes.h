#pragma once

#include <memory>
#include <string>

#include "api/api.h"
#include "api/job_source.h"
#include "api/log_stream.h"
#include "api/route_table.h"

namespace muster::api {

class ConductorJobs final : public JobSource {
 public:
  explicit ConductorJobs(lifecycle::Conductor& conductor) : conductor_(conductor) {}
  Result<Job> Find(JobId id) const override { return conductor_.Find(id); }
  os::Path NodeDir(JobId id, int attempt, int node) const override {
    return conductor_.NodeDir(id, attempt, node);
  }
  uint64_t OnEvents(std::optional<JobId> job, std::function<void()> fn) override {
    return conductor_.OnEvents(job, std::move(fn));
  }
  void Unwatch(uint64_t id) override { conductor_.Unwatch(id); }

 private:
  lifecycle::Conductor& conductor_;
};

// What handlers work with; shared by all of them, so it lives as long as the router.
struct Context {
  explicit Context(ApiParts& given) : parts(given), jobs(given.conductor) {}
  StreamParts stream_parts() { return {jobs, parts.loop, parts.files}; }

  ApiParts& parts;
  ConductorJobs jobs;
};
using ContextPtr = std::shared_ptr<Context>;

// One function per family of routes.
void AddMetaRoutes(RouteTable& table, const ContextPtr& context);
void AddJobRoutes(RouteTable& table, const ContextPtr& context);
void AddSubmitRoutes(RouteTable& table, const ContextPtr& context);
void AddStopRoutes(RouteTable& table, const ContextPtr& context);
void AddLogRoutes(RouteTable& table, const ContextPtr& context);
void AddSeriesRoutes(RouteTable& table, const ContextPtr& context);
void AddEventRoutes(RouteTable& table, const ContextPtr& context);
void AddCodeRoutes(RouteTable& table, const ContextPtr& context);

// A copyable handle of a reply, because std::function requires copyable captures.
inline std::shared_ptr<http::Reply> Share(http::Reply reply) {
  return std::make_shared<http::Reply>(std::move(reply));
}

}  // namespace muster::api
