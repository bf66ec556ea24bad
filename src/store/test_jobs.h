#pragma once

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "model/job.h"
#include "store/journal.h"

namespace muster::store {

// A job as a submit makes it.
inline Job MakeJob(JobId id, const std::string& name = "train") {
  Job job;
  job.id = id;
  job.user = "ann";
  job.created_ms = 1'700'000'000'000 + id % 1000;
  job.spec.name = name;
  job.spec.roles.resize(1);
  job.spec.roles[0].run.text = "python train.py";
  return job;
}

// Writes one batch and waits until it is durable or has failed. `journal`: Journal or
// JournalWriter.
template <typename Writer>
Status WriteAndWait(Writer& journal, std::vector<Op> batch) {
  std::promise<Status> promise;
  auto future = promise.get_future();
  journal.Write(std::move(batch), Sync::kNow,
                [&promise](Status status) { promise.set_value(std::move(status)); });
  return future.get();
}

}  // namespace muster::store
