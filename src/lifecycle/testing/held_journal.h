#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "store/journal.h"

namespace muster::lifecycle {

// A real journal whose writes are delayed until the test permits them: pending writes are lost when
// the server dies.
class HeldJournal final : public store::Journal {
 public:
  explicit HeldJournal(std::unique_ptr<store::Journal> real) : real_(std::move(real)) {}

  using store::Journal::Write;
  void Write(std::vector<store::Op> batch, store::Sync sync,
             std::function<void(Status)> done) override {
    held_.push_back({std::move(batch), sync, std::move(done)});
  }
  bool Land() {
    if (held_.empty()) return false;
    Held next = std::move(held_.front());
    held_.pop_front();
    real_->Write(std::move(next.batch), next.sync, std::move(next.done));
    real_->Flush();
    return true;
  }
  void Flush() override {
    while (Land()) {
    }
  }

  Result<std::optional<Job>> FindJob(JobId id) override { return real_->FindJob(id); }
  Result<std::optional<store::KeyUse>> FindKey(const std::string& key) override {
    return real_->FindKey(key);
  }
  Result<std::vector<store::JobRow>> ListJobs(const store::JobFilter& filter) override {
    return real_->ListJobs(filter);
  }
  Result<std::map<State, int64_t>> CountJobs(const store::JobFilter& filter) override {
    return real_->CountJobs(filter);
  }
  Result<std::vector<Job>> UnfinishedJobs() override { return real_->UnfinishedJobs(); }
  Result<std::vector<store::EventRow>> Events(std::optional<JobId> job, int64_t after_seq,
                                              int limit) override {
    return real_->Events(job, after_seq, limit);
  }
  Result<int64_t> LastEventSeq() override { return real_->LastEventSeq(); }
  Result<bool> UsesCode(const std::string& hash) override { return real_->UsesCode(hash); }
  Result<JobId> NextJobId() override { return real_->NextJobId(); }

 private:
  struct Held {
    std::vector<store::Op> batch;
    store::Sync sync;
    std::function<void(Status)> done;
  };
  std::unique_ptr<store::Journal> real_;
  std::deque<Held> held_;
};

}  // namespace muster::lifecycle
