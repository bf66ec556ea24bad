// The conductor under random sequences of events: submits and stops, launchers that work, fail and
// die, delayed writes, and crashes of the server at any instant. Every acknowledged job ends
// exactly once with a correct state and releases its devices.
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/testing/property.h"
#include "engines/fake_engine.h"
#include "lifecycle/conductor.h"
#include "lifecycle/testing/conductor_bench.h"
#include "lifecycle/testing/held_journal.h"
#include "lifecycle/testing/launchers.h"
#include "os/fake_loop.h"
#include "os/temp_dir.h"

namespace muster::lifecycle {
namespace {

enum class Turn { kSubmit, kStop, kAct, kHear, kLand, kRun, kDie, kCrash };
struct Step {
  Turn turn;
  int pick = 0;   // index of the affected object
  int shape = 0;  // of a submitted job; whether a rank fails
};
std::ostream& operator<<(std::ostream& out, const Step& step) {
  constexpr const char* kNames[] = {"submit", "stop", "act", "hear", "land", "run", "die", "crash"};
  return out << kNames[int(step.turn)] << " " << step.pick << " " << step.shape;
}

rc::Gen<std::vector<Step>> AnySteps() {
  const auto turn = rc::gen::weightedElement<Turn>({{6, Turn::kSubmit},
                                                    {2, Turn::kStop},
                                                    {14, Turn::kAct},
                                                    {14, Turn::kHear},
                                                    {8, Turn::kLand},
                                                    {8, Turn::kRun},
                                                    {1, Turn::kDie},
                                                    {2, Turn::kCrash}});
  const auto step =
      rc::gen::map(rc::gen::tuple(turn, rc::gen::inRange(0, 12), rc::gen::inRange(0, 64)),
                   [](const std::tuple<Turn, int, int>& t) {
                     return std::apply([](auto... v) { return Step{v...}; }, t);
                   });
  return rc::gen::container<std::vector<Step>>(step);
}

class World {
 public:
  World() { Open(); }

  void Do(const Step& step) {
    switch (step.turn) {
      case Turn::kSubmit:
        Submit(step.pick, step.shape);
        break;
      case Turn::kStop:
        if (!acknowledged_.empty()) Stop(Pick(acknowledged_, step.pick));
        break;
      case Turn::kAct:
        if (auto [attempt, node] = PickNode(step.pick); node != nullptr)
          FakeLaunchers::Act(*attempt, *node, step.shape % 4 == 0);
        break;
      case Turn::kHear:
        Hear(step.pick);
        break;
      case Turn::kLand:
        journal_->Land();
        break;
      case Turn::kRun:
        loop_.RunPosted();
        break;
      case Turn::kDie:
        if (auto [attempt, node] = PickNode(step.pick); node != nullptr) FakeLaunchers::Die(*node);
        break;
      case Turn::kCrash:
        Crash();
        Open();
        break;
    }
    Look();
  }

  // No more submits and stops: everything running continues and all events are delivered.
  void GoOnToTheEnd() {
    for (int round = 0; !AllEnded(); ++round) {
      RC_ASSERT(round < 400);
      for (FakeAttempt& attempt : launchers_.attempts())
        for (FakeLauncher& node : attempt.nodes) FakeLaunchers::Act(attempt, node, false);
      while (HearAny()) {
      }
      Settle();
      loop_.Advance(1000);
      Look();
    }
    CheckNothingIsHeld();
    for (JobId id : acknowledged_) CheckStory(id);
  }

 private:
  void Open() {
    auto real = store::Journal::Open(dir_.path() / "journal.db");
    RC_ASSERT(real.has_value());
    journal_ = std::make_unique<HeldJournal>(std::move(*real));
    engine_ = std::make_unique<engines::FakeEngine>(
        std::vector<NodeInfo>{{"node-0", "127.77.0.1", true, {{"npu", 2}}, {}},
                              {"node-1", "127.77.0.2", true, {{"npu", 2}}, {}}});
    pool_.emplace(1);
    conductor_ = std::make_unique<Conductor>(
        Parts{loop_, *pool_, *journal_, code_, *engine_, dir_.path(), "/muster"});
    seen_starts_ = seen_stops_ = 0;
    lost_told_.clear();
    RC_ASSERT(conductor_->Recover().has_value());
    // A job that reached the journal exists, although its client may not have received the answer.
    for (const Job& job : journal_->UnfinishedJobs().value())
      if (std::ranges::find(acknowledged_, job.id) == acknowledged_.end())
        acknowledged_.push_back(job.id);
    Look();
  }

  // The server dies: only durable writes remain.
  void Crash() {
    conductor_.reset();
    pool_.reset();
    engine_.reset();
    journal_.reset();
    loop_.RunPosted();
  }

  void Settle() { SettleAll(loop_, *journal_); }

  void Submit(int pick, int shape) {
    json::object document{
        {"name", "job"},
        {"run", "train"},
        {"priority", (shape >> 1) % 2},
        {"preemptible", (shape >> 2) % 2 == 1},
        {"retries", (shape >> 3) % 2},
        {"resources", json::object{{"nodes", 1 + shape % 2},
                                   {"devices", (shape >> 4) % 2 == 0 ? "npu:1" : "npu:2"}}}};
    if ((shape >> 5) % 2 == 1 && !acknowledged_.empty()) {
      document["after"] = json::array{json::object{
          {"job", Pick(acknowledged_, pick)}, {"when", pick % 2 == 0 ? "succeeded" : "ended"}}};
    }
    conductor_->Submit({.document = std::move(document), .user = "ann"}, [this](auto result) {
      if (result) acknowledged_.push_back(result->jobs.at(0));
    });
  }

  void Stop(JobId id) {
    conductor_->Stop(id, "ann", std::nullopt, [this, id](Result<State> answer) {
      if (answer) return (void)stop_promised_.emplace(id, conductor_->Find(id)->attempts.size());
      // Refused only if the job has ended.
      RC_ASSERT(answer.error().code == Code::kConflict);
    });
  }

  static JobId Pick(const std::vector<JobId>& ids, int pick) {
    return ids[size_t(pick) % ids.size()];
  }

  std::pair<FakeAttempt*, FakeLauncher*> PickNode(int pick) {
    std::vector<std::pair<FakeAttempt*, FakeLauncher*>> running;
    for (FakeAttempt& attempt : launchers_.attempts())
      for (FakeLauncher& node : attempt.nodes)
        if (node.Running()) running.emplace_back(&attempt, &node);
    if (running.empty()) return {nullptr, nullptr};
    return running[size_t(pick) % running.size()];
  }

  // The engine reads the next line of a record, or detects that the launcher died.
  bool HearNode(engines::FakeEngine::Started& started, size_t index, int node) {
    FakeAttempt* attempt = launchers_.Find(started.ref.token);
    if (attempt == nullptr) return false;
    const FakeLauncher& launcher = attempt->nodes[size_t(node)];
    const auto read = size_t(started.offsets[node] / 100);
    if (read < launcher.record.size()) {
      engine_->Say(started, node, launcher.record[read]);
    } else if (launcher.dead && lost_told_.emplace(attempt->token, node).second) {
      engine_->Lose(index, node, "its launcher died");
    } else {
      return false;
    }
    TakeOrders();
    return true;
  }
  bool Hear(int pick) {
    if (engine_->started.empty()) return false;
    const size_t index = size_t(pick) % engine_->started.size();
    for (const NodeOrder& order : engine_->started[index].orders)
      if (HearNode(engine_->started[index], index, order.node)) return true;
    return false;
  }
  bool HearAny() {
    bool heard = false;
    for (size_t i = 0; i < engine_->started.size(); ++i) heard = Hear(int(i)) || heard;
    return heard;
  }

  // The nodes receive the requests of the conductor to the engine.
  void TakeOrders() {
    for (; seen_starts_ < engine_->started.size(); ++seen_starts_) {
      const auto& started = engine_->started[seen_starts_];
      FakeAttempt* known = launchers_.Find(started.ref.token);
      RC_ASSERT((known == nullptr || started.recovered));  // never started twice
      if (known == nullptr) BeginAttempt(started);
      if (known != nullptr) RememberLost(*known);
    }
    for (; seen_stops_ < engine_->stops.size(); ++seen_stops_) {
      const auto& [ref, line] = engine_->stops[seen_stops_];
      FakeAttempt* attempt = launchers_.Find(ref.token);
      if (attempt != nullptr && attempt->told == StoppedBy::kNobody) attempt->told = line.by;
    }
  }

  void BeginAttempt(const engines::FakeEngine::Started& started) {
    const Job job = conductor_->Find(started.ref.job).value();
    RC_ASSERT(job.current()->token == started.ref.token);
    for (const FakeAttempt& other : launchers_.attempts()) {
      if (other.Over()) continue;
      RC_ASSERT(other.job != job.id);
      for (const NodeShare& a : other.allocation.nodes)
        for (const NodeShare& b : job.current()->allocation.nodes)
          RC_ASSERT((a.node != b.node ||
                     std::find_first_of(a.devices.begin(), a.devices.end(), b.devices.begin(),
                                        b.devices.end()) == a.devices.end()));
    }
    if (const auto promise = stop_promised_.find(job.id); promise != stop_promised_.end())
      RC_ASSERT(job.attempts.size() == promise->second);
    launchers_.Begin(started, job.current()->allocation);
  }

  // A server that resumes an attempt does not receive lines that its journal contains.
  void RememberLost(const FakeAttempt& attempt) {
    const Job job = conductor_->Find(attempt.job).value();
    for (size_t i = 0; i < attempt.nodes.size(); ++i)
      if (job.current()->nodes[i].ended) lost_told_.emplace(attempt.token, int(i));
  }

  // Invariants at every instant.
  void Look() {
    TakeOrders();
    for (JobId id : acknowledged_) {
      const auto job = conductor_->Find(id);
      RC_ASSERT(job.has_value());  // never lost
      const auto told = ends_.find(id);
      if (told != ends_.end()) RC_ASSERT(job->state == told->second);  // a terminal state is final
      if (!IsTerminal(job->state) || told != ends_.end()) continue;
      ends_.emplace(id, job->state);
      CheckEnd(*job);
    }
  }

  void CheckEnd(const Job& job) {
    for (const FakeAttempt& attempt : launchers_.attempts())
      if (attempt.job == job.id) RC_ASSERT(attempt.Over());  // none of its processes runs
    int preempted = 0;
    for (const Attempt& attempt : job.attempts)
      preempted += attempt.stopped_by == StoppedBy::kPreemption ? 1 : 0;
    RC_ASSERT(job.used_retries <= job.spec.retries);
    RC_ASSERT(int(job.attempts.size()) <= 1 + job.used_retries + preempted);
    if (job.state != State::kSucceeded) return;
    const FakeAttempt* last = launchers_.Find(job.current()->token);
    RC_ASSERT(last != nullptr);
    RC_ASSERT(last->AllRanksEndedWell());
  }

  bool AllEnded() {
    Settle();
    Look();
    return ends_.size() == acknowledged_.size() && engine_->started.size() == seen_starts_ &&
           std::ranges::all_of(launchers_.attempts(), &FakeAttempt::Over);
  }

  void CheckNothingIsHeld() {
    for (const NodeUse& use : conductor_->Nodes()) {
      for (const auto& [kind, count] : use.used) RC_ASSERT(count == 0);
      RC_ASSERT(use.jobs.empty());
    }
    std::set<std::string> released;
    for (const auto& ref : engine_->released) released.insert(ref.token);
    for (const auto& started : engine_->started) RC_ASSERT(released.contains(started.ref.token));
  }

  // The events of a job form one consistent sequence with one end.
  void CheckStory(JobId id) {
    std::string state = "queued";
    int ends = 0;
    const auto events = journal_->Events(id, 0, 10'000);
    RC_ASSERT(events.has_value());
    for (const store::EventRow& event : *events) {
      if (event.kind != "state") continue;
      RC_ASSERT(GetString(event.data, "from") == state);
      state = GetString(event.data, "to");
      ends += IsTerminal(*StateFromName(state)) ? 1 : 0;
    }
    RC_ASSERT(ends == 1);
    RC_ASSERT(state == Name(ends_.at(id)));
  }

  os::TempDir dir_;
  os::FakeLoop loop_;
  store::CodeStore code_{dir_.path() / "code"};
  std::unique_ptr<HeldJournal> journal_;
  std::unique_ptr<engines::FakeEngine> engine_;
  std::optional<os::Pool> pool_;  // joined before the objects that its tasks use
  std::unique_ptr<Conductor> conductor_;

  FakeLaunchers launchers_;
  size_t seen_starts_ = 0, seen_stops_ = 0;
  std::set<std::pair<std::string, int>> lost_told_;
  std::vector<JobId> acknowledged_;
  std::map<JobId, State> ends_;            // as first observed
  std::map<JobId, size_t> stop_promised_;  // with the number of attempts at that time
};

TEST(ConductorProperty, EveryJobEndsOnceCorrectlyAndReleasesItsDevices) {
  CheckProperty(60, [] {
    const auto steps = *AnySteps();
    World world;
    for (const Step& step : steps) world.Do(step);
    world.GoOnToTheEnd();
  });
}

}  // namespace
}  // namespace muster::lifecycle
