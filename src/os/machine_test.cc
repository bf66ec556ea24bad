#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/devices.h"
#include "os/journal.h"
#include "os/net.h"
#include "os/pool.h"
#include "os/temp_dir.h"

namespace muster::os {
namespace {

class DevicesTest : public testing::Test {
 protected:
  void Gpu(const std::string& address, const std::string& information) {
    const Path folder = dir / "proc/driver/nvidia/gpus" / address;
    ASSERT_TRUE(MakeDirs(folder));
    ASSERT_TRUE(WriteFileAtomic(folder / "information", information));
  }
  void Node(const std::string& name) {
    ASSERT_TRUE(MakeDirs(dir / "dev"));
    ASSERT_TRUE(WriteFileAtomic(dir / "dev" / name, ""));
  }
  TempDir dir;
};

TEST_F(DevicesTest, MachineWithoutDevicesHasNone) {
  EXPECT_THAT(FindDevices(dir.path()), testing::IsEmpty());
}

TEST_F(DevicesTest, ReadsTheFilesOfTheNvidiaDriver) {
  Gpu("0000:0b:00.0", "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-b\nDevice Minor: \t 1\n");
  Gpu("0000:0a:00.0",
      "Model: \t\t NVIDIA H200\nGPU UUID: \t GPU-a\nDevice Minor: \t 0\n"
      "GPU Excluded:\t No\n");
  Gpu("0000:0c:00.0", "Model: X\nDevice Minor: 2\nGPU Excluded: Yes\n");
  Gpu("0000:0d:00.0", "garbage\n:::\nDevice Minor: x\n");
  const auto devices = FindDevices(dir.path());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].kind, "gpu");
  EXPECT_EQ(devices[0].index, 0);
  EXPECT_EQ(devices[0].uuid, "GPU-a");
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_EQ(devices[1].model, "NVIDIA H200");
}

TEST_F(DevicesTest, CountsNumberedDeviceFiles) {
  for (const char* name : {"davinci10", "davinci2", "davinci_manager", "davinci", "davinci-1",
                           "nvidia0", "nvidiactl", "nvidia-uvm"}) {
    Node(name);
  }
  const auto devices = FindDevices(dir.path());
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].kind, "gpu");
  EXPECT_EQ(devices[1].kind, "npu");
  EXPECT_EQ(devices[1].index, 2);
  EXPECT_EQ(devices[2].index, 10);
}

TEST(MachineTest, HasCpusMemoryAndAName) {
  EXPECT_GE(CpuCount(), 1);
  EXPECT_GT(MemoryTotal(), 1 << 20);
  EXPECT_FALSE(HostName().empty());
}

// Listens on a port that the kernel selects.
class Listener {
 public:
  explicit Listener(uint32_t address) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(address);
    socklen_t size = sizeof name;
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&name), size), 0);
    EXPECT_EQ(::listen(fd_.get(), 1), 0);
    EXPECT_EQ(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
    port_ = ntohs(name.sin_port);
  }
  int port() const { return port_; }
  void Close() { fd_.Reset(); }

 private:
  Fd fd_;
  int port_ = 0;
};

// Uses ports that a listener held and closed. Other programs share the port range: one may hold the
// same port at another address, or take it at once. One free port out of eight is sufficient.
bool GivenBackIsFree(uint32_t address) {
  for (int i = 0; i < 8; ++i) {
    Listener listener(address);
    EXPECT_FALSE(PortIsFree("127.0.0.1", listener.port()));
    listener.Close();
    if (PortIsFree("127.0.0.1", listener.port())) return true;
  }
  return false;
}

TEST(PortIsFreeTest, DetectsListenersOnOneAndOnAllAddresses) {
  for (uint32_t address : {INADDR_LOOPBACK, INADDR_ANY, INADDR_LOOPBACK + 1}) {
    EXPECT_TRUE(GivenBackIsFree(address));
  }
}

TEST(PortIsFreeTest, DetectsListenersOfTheOtherIpVersion) {
  const Fd listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener) GTEST_SKIP() << "this machine has no IP version 6";
  const int on = 1;
  ASSERT_EQ(::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on), 0);
  sockaddr_in6 name{};  // any address, any port
  name.sin6_family = AF_INET6;
  socklen_t size = sizeof name;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  EXPECT_FALSE(PortIsFree("127.0.0.1", ntohs(name.sin6_port)));
}

TEST(PortIsFreeTest, InvalidPortsAndForeignAddressesAreNotFree) {
  EXPECT_FALSE(PortIsFree("127.0.0.1", 0));
  EXPECT_FALSE(PortIsFree("127.0.0.1", -1));
  EXPECT_FALSE(PortIsFree("127.0.0.1", 70000));
  EXPECT_FALSE(PortIsFree("192.0.2.1", 45454));
}

TEST(JournalTest, UnknownFileSystemIsNotOrdered) {
  for (const char* folder : {"/proc", "/dev/shm"}) {
    EXPECT_FALSE(JournalKeepsOrder(Fd(::open(folder, O_RDONLY | O_CLOEXEC)).get())) << folder;
  }
  EXPECT_FALSE(JournalKeepsOrder(-1));
}

TEST(PoolTest, RunsAllTasksOnSeveralThreads) {
  std::atomic<int> done = 0;
  std::latch both(2), all(100);
  {
    Pool pool(2);
    for (int i = 0; i < 2; ++i) pool.Run([&] { both.arrive_and_wait(); });  // requires two threads
    for (int i = 0; i < 100; ++i) pool.Run([&] { ++done, all.count_down(); });
    all.wait();
  }
  EXPECT_EQ(done, 100);
}

TEST(PoolTest, DestructorFinishesRunningTasksAndDropsQueuedOnes) {
  std::latch begun(1), go(1);
  std::atomic<bool> first = false, second = false;
  const auto token = std::make_shared<int>(1);
  std::jthread releaser;
  {
    Pool pool(0);  // at least one thread
    pool.Run([&] { begun.count_down(), go.wait(), first = true; });
    pool.Run([&, token] { second = true; });
    begun.wait();
    // Released when the destructor has dropped the queued tasks.
    releaser = std::jthread([&] {
      while (token.use_count() > 1) std::this_thread::yield();
      go.count_down();
    });
  }
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

}  // namespace
}  // namespace muster::os
