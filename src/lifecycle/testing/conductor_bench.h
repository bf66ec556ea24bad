#pragma once

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "engines/fake_engine.h"
#include "lifecycle/conductor.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::lifecycle {

inline const ExitReport kGood{.how = ExitClass::kSucceeded};
inline const ExitReport kBad{.how = ExitClass::kExitCode, .code = 7};

// Runs the loop until neither it nor the journal has pending work.
inline void SettleAll(os::FakeLoop& loop, store::Journal& journal) {
  do {
    loop.RunPosted();
    journal.Flush();
  } while (loop.RunPosted() > 0);
}

// A conductor with a real journal and a fake engine with two nodes of eight devices.
class ConductorTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open() {
    auto opened = store::Journal::Open(dir_.path() / "journal.db");
    ASSERT_TRUE(opened) << opened.error().text;
    journal_ = std::move(*opened);
    engine_ = std::make_unique<engines::FakeEngine>(
        std::vector<NodeInfo>{{"node-0", "127.77.0.1", true, {{"npu", 8}, {"cpu", 2}}, {}},
                              {"node-1", "127.77.0.2", true, {{"npu", 8}, {"cpu", 2}}, {}}});
    engine_->recover_status = recover_status_;
    pool_.emplace(1);
    conductor_ = std::make_unique<Conductor>(
        Parts{loop_, *pool_, *journal_, code_, *engine_, dir_.path(), "/muster"});
    ASSERT_TRUE(conductor_->Recover());
    Settle();
  }

  // The server dies: only its files remain.
  void Crash() {
    Settle();
    conductor_.reset();
    pool_.reset();
    engine_.reset();
    journal_.reset();
    loop_.RunPosted();
  }

  void Settle() { SettleAll(loop_, *journal_); }

  json::object Doc(std::string_view devices = "npu:8", int nodes = 1) {
    return {{"name", "job"},
            {"run", "train"},
            {"resources", json::object{{"nodes", nodes}, {"devices", devices}}}};
  }

  std::expected<SubmitResult, Refusal> Submit(json::object document, std::string key = "") {
    std::optional<std::expected<SubmitResult, Refusal>> answer;
    conductor_->Submit({.document = std::move(document), .key = std::move(key), .user = "ann"},
                       [&](auto result) { answer = std::move(result); });
    Settle();
    return answer.value();
  }
  JobId SubmitOne(json::object document) { return Submit(std::move(document)).value().jobs.at(0); }
  State StateOf(JobId id) { return conductor_->Find(id).value().state; }
  Result<State> Stop(JobId id) {
    std::optional<Result<State>> answer;
    conductor_->Stop(id, "ann", std::nullopt, [&](auto result) { answer = std::move(result); });
    Settle();
    return answer.value();
  }
  struct Preemption {
    JobId victim, urgent;
  };
  // A preemptible job that used all devices is being stopped for one of higher priority.
  Preemption Preempt() {
    json::object low = Doc("npu:8", 2);
    low["preemptible"] = true;
    const JobId victim = SubmitOne(low);
    Begin(0);
    json::object high = Doc("npu:8", 2);
    high["priority"] = 10;
    const JobId urgent = SubmitOne(high);
    EXPECT_EQ(engine_->stops.back().second.by, StoppedBy::kPreemption);
    return {victim, urgent};
  }
  void Begin(size_t index) { engine_->BeginAll(index), Settle(); }
  void End(size_t index, const ExitReport& exit) { engine_->EndAll(index, exit), Settle(); }

  os::TempDir dir_;
  Status recover_status_;  // the result of the engine in the next Open
  os::FakeLoop loop_;
  store::CodeStore code_{dir_.path() / "code"};
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<engines::FakeEngine> engine_;
  std::optional<os::Pool> pool_;  // joined before the objects that its tasks use
  std::unique_ptr<Conductor> conductor_;
};

}  // namespace muster::lifecycle
