#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "os/file.h"

// The suite that every engine passes. An engine's own test file instantiates it:
//   INSTANTIATE_TEST_SUITE_P(Local, EngineContractTest, testing::Values(&MakeLocalEngine));

namespace muster::engines {

// What a test needs of an engine under test; it owns the loop that the engine lives on.
class EngineUnderTest {
 public:
  virtual ~EngineUnderTest() = default;
  virtual Engine& engine() = 0;
  virtual const os::Path& scratch() const = 0;  // visible to server and nodes alike
  // Runs the loop until `done` or 20 s have passed; whether it was done.
  virtual bool RunUntil(const std::function<bool()>& done) = 0;
  // A new engine on the same nodes, as after a restart of the server; the launchers live on.
  virtual void Restart() = 0;
  // kill -9 of the launcher of this node.
  virtual void KillLauncher(const AttemptRef& attempt, int node) = 0;
};
using MakeEngineUnderTest = std::unique_ptr<EngineUnderTest> (*)();

// Keeps what an engine told, in order.
class ToldEvents final : public EngineEvents {
 public:
  void OnRecord(const AttemptRef& attempt, int node, const RecordLine& line,
                int64_t end_offset) override {
    lines[{attempt.token, node}].push_back(line.body);
    offsets[{attempt.token, node}] = end_offset;
  }
  void OnNodeLost(const AttemptRef& attempt, int node, const std::string& why,
                  const NodeClean& clean) override {
    lost[{attempt.token, node}] = {why, clean};
  }
  void OnNodeUnproven(const AttemptRef& attempt, int node, const std::string& why) override {
    unproven[{attempt.token, node}] = why;
  }

  template <typename Body>
  int Count(const AttemptRef& attempt, int node) const {
    const auto found = lines.find({attempt.token, node});
    if (found == lines.end()) return 0;
    int count = 0;
    for (const auto& body : found->second) count += std::holds_alternative<Body>(body);
    return count;
  }
  template <typename Body>
  const Body* First(const AttemptRef& attempt, int node) const {
    const auto found = lines.find({attempt.token, node});
    if (found == lines.end()) return nullptr;
    for (const auto& body : found->second)
      if (const auto* match = std::get_if<Body>(&body)) return match;
    return nullptr;
  }
  bool Ended(const AttemptRef& attempt, int node) const {
    return Count<LauncherEnded>(attempt, node) > 0 || lost.contains({attempt.token, node});
  }

  using Key = std::pair<std::string, int>;
  std::map<Key, std::vector<RecordBody>> lines;
  std::map<Key, int64_t> offsets;
  std::map<Key, std::pair<std::string, NodeClean>> lost;
  std::map<Key, std::string> unproven;
};

class EngineContractTest : public testing::TestWithParam<MakeEngineUnderTest> {
 protected:
  void SetUp() override {
    under_test_ = GetParam()();
    under_test_->engine().SetEvents(&told_);
  }
  Engine& engine() { return under_test_->engine(); }
  AttemptRef NewAttempt(int number = 1);
  // One rank a node, each running `script` by /bin/sh.
  std::vector<NodeOrder> Orders(const AttemptRef& attempt, int nodes, const std::string& script);
  bool WaitEnded(const AttemptRef& attempt, int nodes);
  std::string Log(const NodeOrder& order) const;

  ToldEvents told_;
  std::unique_ptr<EngineUnderTest> under_test_;
};

}  // namespace muster::engines
