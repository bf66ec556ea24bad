#include "scheduler/placement.h"

#include <climits>

#include <gmock/gmock.h>

#include "scheduler/cases_for_test.h"

namespace muster::scheduler {
namespace {

std::string PlaceText(const std::vector<NodeInfo>& nodes, const Demand& demand,
                      const Placement& held = {}) {
  DevicePool pool(nodes);
  pool.Take(held);
  const std::optional<Placement> placement = Place(pool, demand);
  return placement ? Text(ToAllocation(*placement, demand, nodes)) : "no room";
}

TEST(Placement, TakesTheNodeWithTheFewestRemainingDevices) {
  EXPECT_EQ(PlaceText(Npus({8, 2, 4}), Npu(1, 2)), "node-1[0,1]");
  EXPECT_EQ(PlaceText(Npus({8, 2, 4}), Npu(1, 3)), "node-2[0,1,2]");
}

TEST(Placement, TakesEqualNodesInClusterOrder) {
  EXPECT_EQ(PlaceText(Npus({8, 8, 8}), Npu(2, 1)), "node-0[0] node-1[0]");
}

TEST(Placement, ChosenNodesStandInTheOrderOfTheClusterWhateverTheirFreeDevices) {
  EXPECT_EQ(PlaceText(Npus({8, 4, 6, 4}), Npu(3, 4)),
            "node-1[0,1,2,3] node-2[0,1,2,3] node-3[0,1,2,3]");
  EXPECT_EQ(PlaceText(Npus({5, 8, 4}), Npu(2, 4)), "node-0[0,1,2,3] node-2[0,1,2,3]");
  EXPECT_EQ(PlaceText(Npus({4, 4, 4, 4}), Npu(4, 1)), "node-0[0] node-1[0] node-2[0] node-3[0]");
}

TEST(Placement, TakesTheLowestFreeNumbers) {
  const Placement held{Grant{0, 0, 0, {0, 2}}};
  EXPECT_EQ(PlaceText(Npus({8}), Npu(1, 3), held), "node-0[1,3,4]");
}

TEST(Placement, NodesOfOneRoleAreOnDifferentMachines) {
  EXPECT_EQ(PlaceText(Npus({8}), Npu(2, 2)), "no room");
  EXPECT_EQ(PlaceText(Npus({8, 8}), Npu(2, 2)), "node-0[0,1] node-1[0,1]");
}

TEST(Placement, RolesShareAMachineButNoDevice) {
  const Demand demand{{{"ps", 1, "npu", 2}, {"worker", 1, "npu", 6}}};
  EXPECT_EQ(PlaceText(Npus({8}), demand), "node-0[0,1] node-0[2,3,4,5,6,7]");
}

TEST(Placement, PlacesAllNodesOrNone) { EXPECT_EQ(PlaceText(Npus({8, 7}), Npu(2, 8)), "no room"); }

TEST(Placement, SearchFollowsIfBestFitOfSeveralRolesFails) {
  // Best fit places 5 on the node with 5 devices, which 3 + 2 would need.
  const Demand demand{
      {{"a", 1, "npu", 5}, {"b", 1, "npu", 3}, {"c", 1, "npu", 3}, {"d", 2, "npu", 2}}};
  EXPECT_NE(PlaceText(Npus({5, 10}), demand), "no room");
}

TEST(Placement, InvalidDemandsAreRejected) {
  EXPECT_EQ(PlaceText(Npus({8}), Demand{}), "no room");
  EXPECT_EQ(PlaceText(Npus({8}), Npu(0, 1)), "no room");
  EXPECT_EQ(PlaceText(Npus({8}), Npu(-1, 1)), "no room");
  EXPECT_EQ(PlaceText(Npus({8}), Npu(1, -1)), "no room");
  EXPECT_EQ(PlaceText(Npus({8}), Npu(INT_MAX, INT_MAX)), "no room");
  EXPECT_EQ(PlaceText(Npus({8}), Demand{{{"worker", 1, "gpu", 1}}}), "no room");
  EXPECT_EQ(PlaceText({}, Npu(1, 1)), "no room");
  EXPECT_EQ(PlaceText(Npus({-4, 0}), Npu(1, 1)), "no room");
}

TEST(Placement, RoleWithoutDevicesFitsAnyNode) {
  EXPECT_EQ(PlaceText(Npus({8, 8}), Npu(2, 0)), "node-0[] node-1[]");
}

TEST(DevicePool, DeviceIsFreeAfterItsLastHolder) {
  DevicePool pool(Npus({2}));
  const Grant grant{0, 0, 0, {1}};
  pool.Take(grant);
  pool.Take(grant);
  pool.Give(grant);
  EXPECT_EQ(pool.Free(0, 0), 1);
  pool.Give(grant);
  EXPECT_EQ(pool.Free(0, 0), 2);
}

TEST(DevicePool, DevicesThatTheNodeLacksAreIgnored) {
  DevicePool pool(Npus({2}));
  pool.Take(Grant{0, 0, 0, {-1, 2, 9}});
  EXPECT_EQ(pool.Free(0, 0), 2);
}

}  // namespace
}  // namespace muster::scheduler
