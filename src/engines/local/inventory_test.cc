#include "engines/local/inventory.h"

#include <gtest/gtest.h>

namespace muster::engines {
namespace {

TEST(InventoryTest, VirtualNodesGetNamesAddressesAndDevices) {
  const auto nodes = ParseVirtualNodes("2x8npu,1x2gpu+4cpu", 2);
  ASSERT_TRUE(nodes);
  ASSERT_EQ(nodes->size(), 3u);
  EXPECT_EQ((*nodes)[1].name, "node-1");
  EXPECT_EQ((*nodes)[1].address, "127.77.0.2");
  EXPECT_EQ((*nodes)[1].devices.at("npu"), 8);
  EXPECT_EQ((*nodes)[1].devices.at("cpu"), 2);
  EXPECT_EQ((*nodes)[2].devices.at("gpu"), 2);
  EXPECT_EQ((*nodes)[2].devices.at("cpu"), 4);
  EXPECT_TRUE((*nodes)[2].is_virtual);
}

TEST(InventoryTest, AddressesStayDistinctBeyondOneByte) {
  const auto nodes = ParseVirtualNodes("1000x1npu", 1);
  ASSERT_TRUE(nodes);
  std::set<std::string> seen;
  for (const auto& node : *nodes) EXPECT_TRUE(seen.insert(node.address).second);
}

TEST(InventoryTest, BadTextIsRefusedWithWhatToWrite) {
  for (const char* text :
       {"", "4", "x8npu", "0x8npu", "4x", "4xnpu", "4x8", "-1x8npu", "4x0npu",
        "99999999999999999999x8npu", "4x8npu,", "5000x1npu", "4x8n pu", "1x2gpu+"}) {
    const auto nodes = ParseVirtualNodes(text, 2);
    ASSERT_FALSE(nodes) << text;
    EXPECT_EQ(nodes.error().code, Code::kInvalid);
    EXPECT_NE(nodes.error().next.find("4x8npu"), std::string::npos);
  }
}

TEST(InventoryTest, DeclaredKindsWinOverFoundOnes) {
  Machine machine{"host", 4, {{"gpu", 0, "NVIDIA H200", "GPU-1"}}, {{"gpu", 8}, {"npu", 2}}};
  const NodeInfo node = RealNode(machine);
  EXPECT_EQ(node.devices.at("gpu"), 8);
  EXPECT_EQ(node.devices.at("npu"), 2);
  EXPECT_EQ(node.devices.at("cpu"), 4);
  EXPECT_EQ(node.models.at("gpu"), "NVIDIA H200");
}

}  // namespace
}  // namespace muster::engines
