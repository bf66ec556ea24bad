#include "dialect/environment.h"

#include <gmock/gmock.h>

#include "dialect/cases_for_test.h"

namespace muster::dialect {
namespace {

using testing::IsEmpty;

NodeShare RealNode(const std::string& kind, const std::string& address = "10.1.0.7") {
  return NodeShare{
      .node = "host-7", .address = address, .kind = kind, .devices = {0, 1, 2, 3, 4, 5, 6}};
}

Pairs MeetingDefaults(const NodeShare& share, JobSpec spec = {}) {
  Pairs env;
  SetMeetingDefaults(spec, share, env);
  return env;
}

TEST(MeetingDefaults, RealNodeWithGpusChoosesItsInterfaceByItself) {
  EXPECT_THAT(MeetingDefaults(RealNode("gpu")), IsEmpty());
}

TEST(MeetingDefaults, VirtualNodeUsesTheLoopbackInterface) {
  NodeShare share = RealNode("gpu");
  share.is_virtual = true;
  const Pairs env = MeetingDefaults(share);
  EXPECT_EQ(Env(env, "GLOO_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(Env(env, "NCCL_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(Env(env, "TP_SOCKET_IFNAME"), "lo");
  EXPECT_EQ(env.size(), 3u);
}

TEST(MeetingDefaults, RealNodeWithNpusNamesItsAddress) {
  const Pairs env = MeetingDefaults(RealNode("npu"));
  EXPECT_EQ(Env(env, "HCCL_IF_IP"), "10.1.0.7");
  EXPECT_EQ(env.size(), 1u);
}

TEST(MeetingDefaults, InterfaceOfTheJobFileIsSetOnRealNodes) {
  JobSpec spec;
  spec.launch.interface = "ib0";
  const Pairs env = MeetingDefaults(RealNode("npu"), spec);
  for (const char* name :
       {"GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "HCCL_SOCKET_IFNAME"})
    EXPECT_EQ(Env(env, name), "ib0") << name;
}

TEST(MeetingDefaults, TimeoutOfHcclIsKeptInItsRange) {
  JobSpec spec;
  const std::vector<std::pair<int64_t, const char*>> cases = {
      {1'000, "120"},      {119'999, "120"},    {120'000, "120"},    {121'000, "121"},
      {7'200'000, "7200"}, {7'201'000, "7200"}, {86'400'000, "7200"}};
  for (const auto& [ms, seconds] : cases) {
    spec.launch.timeout_ms = ms;
    EXPECT_EQ(Env(MeetingDefaults(RealNode("npu"), spec), "HCCL_CONNECT_TIMEOUT"), seconds) << ms;
  }
}

TEST(MeetingDefaults, VariablesOfTheUserAreKept) {
  NodeShare share = RealNode("npu", "127.0.0.1");
  Pairs env{{"GLOO_SOCKET_IFNAME", "eth9"}, {"HCCL_SOCKET_IFNAME", "eth8"}};
  SetMeetingDefaults({}, share, env);
  EXPECT_EQ(Env(env, "GLOO_SOCKET_IFNAME"), "eth9");
  EXPECT_EQ(Env(env, "HCCL_SOCKET_IFNAME"), "eth8");
  EXPECT_EQ(Env(env, "NCCL_SOCKET_IFNAME"), "lo");
}

TEST(IsLoopback, KnowsTheLoopbackAddresses) {
  for (const char* address : {"127.0.0.1", "127.77.3.4", "::1", "localhost"})
    EXPECT_TRUE(IsLoopback(RealNode("cpu", address))) << address;
  for (const char* address :
       {"128.0.0.1", "10.127.0.1", "::2", "1.27.0.0", "localhost.example", ""})
    EXPECT_FALSE(IsLoopback(RealNode("cpu", address))) << address;
}

TEST(ThreadsFor, CpuSlotsAreDividedAndAcceleratorsGetOne) {
  EXPECT_EQ(ThreadsFor(RealNode("cpu"), 1), 7);
  EXPECT_EQ(ThreadsFor(RealNode("cpu"), 2), 3);
  EXPECT_EQ(ThreadsFor(RealNode("cpu"), 7), 1);
  EXPECT_EQ(ThreadsFor(RealNode("cpu"), 8), 1);
  EXPECT_EQ(ThreadsFor(RealNode("cpu"), 0), 7);
  EXPECT_EQ(ThreadsFor(RealNode("gpu"), 1), 1);
}

TEST(NodeEnv, RealNodesOfAJobAreNumberedAndListed) {
  const JobSpec spec = PlainSpec("custom", 2, "gpu", 2, "train");
  Allocation allocation = SketchAllocation(spec);
  for (size_t i = 0; i < 2; ++i) {
    allocation.nodes[i].is_virtual = false;
    allocation.nodes[i].address = "10.1.0." + std::to_string(i + 1);
    allocation.nodes[i].devices = {4, 6};
  }
  const auto orders = Plan(spec, allocation, SomePlaces());
  ASSERT_TRUE(orders);
  const NodeOrder& second = orders->at(1);
  EXPECT_EQ(Env(second.env, "MUSTER_NODE_INDEX"), "1");
  EXPECT_EQ(Env(second.env, "MUSTER_NODES"), "2");
  EXPECT_EQ(Env(second.env, "MUSTER_NODE_ADDRESSES"), "10.1.0.1,10.1.0.2");
  EXPECT_EQ(Env(second.env, "CUDA_VISIBLE_DEVICES"), "4,6");
  EXPECT_EQ(Env(second.env, "MUSTER_MASTER_ADDR"), "10.1.0.1");
  EXPECT_EQ(Env(second.env, "OMP_NUM_THREADS"), "1");
  EXPECT_FALSE(second.isolate);
  ASSERT_EQ(second.ranks.size(), 2u);
  EXPECT_EQ(Env(second.ranks[1].env, "MUSTER_RANK"), "3");
  EXPECT_EQ(Env(second.ranks[1].env, "MUSTER_LOCAL_RANK"), "1");
  EXPECT_EQ(Env(second.ranks[1].env, "MUSTER_WORLD_SIZE"), "4");
}

TEST(Endpoint, AddressesOfIpVersion6GetBrackets) {
  EXPECT_EQ(Endpoint("10.0.0.1", 80), "10.0.0.1:80");
  EXPECT_EQ(Endpoint("fe80::1", 80), "[fe80::1]:80");
}

}  // namespace
}  // namespace muster::dialect
