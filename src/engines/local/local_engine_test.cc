#include "engines/local/local_engine.h"

#include <csignal>
#include <cstdlib>

#include "engines/contract_suite.h"
#include "engines/local/inventory.h"
#include "os/epoll_loop.h"
#include "os/temp_dir.h"

namespace muster::engines {
namespace {

class LocalEngineUnderTest final : public EngineUnderTest {
 public:
  LocalEngineUnderTest() { Restart(); }

  Engine& engine() override { return *engine_; }
  const os::Path& scratch() const override { return scratch_.path(); }
  bool RunUntil(const std::function<bool()>& done) override {
    bool met = false;
    const auto limit = loop_.After(20'000, [&] { loop_.Stop(); });
    std::function<void()> look = [&] {
      met = done();
      if (met) return loop_.Stop();
      look_ = loop_.After(5, look);
    };
    loop_.Post(look);
    loop_.Run();
    loop_.Cancel(limit);
    loop_.Cancel(look_);
    return met;
  }
  void Restart() override {
    engine_.reset();
    engine_ = std::make_unique<LocalEngine>(LocalEngine::Parts{
        loop_, pool_, files_, ParseVirtualNodes("2x8npu", 2).value(), MUSTER_LAUNCHER});
  }
  void KillLauncher(const AttemptRef& attempt, int node) override {
    const auto bytes = os::ReadFile(attempt.dir + "/node" + std::to_string(node) + "/record");
    const auto part = DecodeRecord(bytes.value());
    for (const auto& line : part->lines)
      if (const auto* began = std::get_if<LauncherBegan>(&line.body)) ::kill(began->pid, SIGKILL);
  }

 private:
  os::TempDir scratch_;
  os::EpollLoop loop_;
  os::Pool pool_{1};
  os::FileWatch files_{loop_};
  os::Loop::Id look_ = 0;
  std::unique_ptr<LocalEngine> engine_;
};

std::unique_ptr<EngineUnderTest> MakeLocalEngine() {
  return std::make_unique<LocalEngineUnderTest>();
}

INSTANTIATE_TEST_SUITE_P(Local, EngineContractTest, testing::Values(&MakeLocalEngine));

}  // namespace
}  // namespace muster::engines
