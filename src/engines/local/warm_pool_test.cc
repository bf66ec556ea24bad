#include "engines/local/warm_pool.h"

#include <sys/socket.h>

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "os/fake_loop.h"
#include "os/packet.h"

namespace muster::engines {
namespace {

using Ground = std::optional<std::string>;

// The test plays the launchers.
class WarmPoolTest : public testing::Test {
 protected:
  // One that was given an order of this ground.
  Launcher Start(pid_t pid, const Ground& ground) {
    auto pair = std::move(os::PacketPair()).value();
    theirs_[pid] = std::move(pair.second);
    return {.pid = pid,
            .ended = std::move(pair.first),
            .serves = true,
            .ground = ground,
            .machine = pool_.machine()};
  }
  void GiveBack(pid_t pid, const Ground& ground) {
    Launcher launcher = Start(pid, ground);
    EXPECT_TRUE(os::SendPacket(theirs_[pid].get(), 0, -1));
    pool_.GiveBack(std::move(launcher));
  }
  pid_t Take(const Ground& ground) {
    taken_ = pool_.Take("/data/node0", ground);
    return taken_ ? taken_->pid : 0;
  }
  // What a launcher that waits hears: an order, "" when its line was cut, or "nothing".
  std::string Heard(pid_t pid) {
    std::array<char, 100> text{};
    const ssize_t got = ::recv(theirs_[pid].get(), text.data(), text.size(), MSG_DONTWAIT);
    return got < 0 ? "nothing" : std::string(text.data(), size_t(got));
  }

  os::FakeLoop loop_;
  WarmPool pool_{loop_};
  std::map<pid_t, os::Fd> theirs_;
  std::optional<Launcher> taken_;
};

TEST_F(WarmPoolTest, OneThatIsDoneGetsTheNextOrder) {
  EXPECT_EQ(Take(""), 0);
  GiveBack(7, "");
  EXPECT_EQ(Heard(7), "nothing");
  EXPECT_EQ(Take(""), 7);
  EXPECT_EQ(Heard(7), "/data/node0");
  EXPECT_EQ(Take(""), 0) << "it is busy";
}

TEST_F(WarmPoolTest, TheOneThatCameLastIsTakenFirst) {
  GiveBack(7, "");
  GiveBack(8, "");
  EXPECT_EQ(Take(""), 8);
  EXPECT_EQ(Take(""), 7);
}

TEST_F(WarmPoolTest, AVirtualNodeServesItsGroundAloneAndThePlainMachineAny) {
  GiveBack(7, "node-0");
  EXPECT_EQ(Take("node-1"), 0);
  EXPECT_EQ(Take(""), 0);
  EXPECT_EQ(Take(std::nullopt), 0);
  GiveBack(8, "");
  EXPECT_EQ(Take("node-0"), 7);
  EXPECT_EQ(Take("node-1"), 8);
  EXPECT_EQ(taken_->ground, "node-1") << "what it becomes";
}

TEST_F(WarmPoolTest, OneThatIsGoneIsNotKeptAndNotTaken) {
  Launcher gone = Start(7, "");
  theirs_.erase(7);
  pool_.GiveBack(std::move(gone));
  EXPECT_EQ(Take(""), 0);
  GiveBack(8, "");
  GiveBack(9, "");
  theirs_.erase(9);  // while it waited
  EXPECT_EQ(Take(""), 8);
}

TEST_F(WarmPoolTest, OneThatWasFoundByItsRecordIsNotKept) {
  Launcher adopted = Start(7, "");
  adopted.serves = false;
  EXPECT_TRUE(os::SendPacket(theirs_[7].get(), 0, -1));
  pool_.GiveBack(std::move(adopted));
  EXPECT_EQ(Take(""), 0);
}

TEST_F(WarmPoolTest, ThoseThatNobodyWantsAreLetGo) {
  GiveBack(7, "");
  loop_.Advance(3000);
  GiveBack(8, "");
  loop_.Advance(2500);
  EXPECT_EQ(Heard(7), "");
  EXPECT_EQ(Heard(8), "nothing");
  loop_.Advance(2500);
  EXPECT_EQ(Heard(8), "");
  EXPECT_EQ(Take(""), 0);
}

TEST_F(WarmPoolTest, LauncherThatEndsAfterItsOrderSaysSoAndIsNotKept) {
  Launcher launcher = Start(7, "");
  EXPECT_TRUE(os::SendPacket(theirs_[7].get(), 1, -1));
  EXPECT_TRUE(pool_.GiveBack(std::move(launcher)));
  EXPECT_EQ(Take(""), 0);
}

TEST_F(WarmPoolTest, LauncherThatDiedHasNotSaidThatItIsDone) {
  Launcher killed = Start(7, "");
  theirs_[7].Reset();
  EXPECT_FALSE(pool_.GiveBack(std::move(killed)));
  Launcher adopted = Start(8, "");
  adopted.serves = false;  // its line is that of a server which has ended
  EXPECT_TRUE(os::SendPacket(theirs_[8].get(), 0, -1));
  EXPECT_FALSE(pool_.GiveBack(std::move(adopted)));
  EXPECT_EQ(Take(""), 0);
}

}  // namespace
}  // namespace muster::engines
