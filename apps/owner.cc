#include "apps/owner.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "base/log.h"

namespace muster::apps {
namespace {

constexpr int64_t kGraceMs = 2000;
constexpr int64_t kLookEveryMs = 100;

}  // namespace

OwnerWatch::~OwnerWatch() {
  loop_.Unwatch(watch_);
  loop_.Cancel(timer_);
}

void OwnerWatch::Start(pid_t owner) {
  process_ = os::Fd(int(syscall(SYS_pidfd_open, owner, 0)));
  // Our parent as long as it lives: a number that was given to another process is nobody's parent.
  if (!process_ || getppid() != owner) return loop_.Post([this] { StopJobs(); });
  watch_ = loop_.WatchReadable(process_.get(), [this] {
    loop_.Unwatch(std::exchange(watch_, 0));
    LogInfo("the process that this server was started for has ended; stopping its jobs");
    StopJobs();
  });
}

// Again and again, until nothing is left: a job may have been on its way here.
void OwnerWatch::StopJobs() {
  const auto jobs = journal_.UnfinishedJobs();
  if (jobs && jobs->empty()) return done_();
  if (!jobs) LogWarning("cannot see what is to be stopped: {}", jobs.error().text);
  for (const Job& job : jobs ? *jobs : std::vector<Job>{}) {
    if (!asked_.insert(job.id).second) continue;
    conductor_.Stop(job.id, "the end of its client", kGraceMs, [](const Result<State>&) {});
  }
  timer_ = loop_.After(kLookEveryMs, [this] { StopJobs(); });
}

}  // namespace muster::apps
