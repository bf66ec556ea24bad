#include "cli/plan_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/capture_screen.h"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<NodeOrder> TwoNodes() {
  std::vector<NodeOrder> orders(2);
  for (int node = 0; node < 2; ++node) {
    orders[size_t(node)].node_name = "node-" + std::to_string(node);
    orders[size_t(node)].token = "mark-of-the-attempt";
    RankOrder rank;
    rank.rank = node;
    rank.argv = {"python3", "my train.py"};
    rank.cwd = "/work";
    rank.env = {{"WORLD_SIZE", "2"},
                {"RANK", std::to_string(node)},
                {"HF_TOKEN", "hunter2"},
                {"MARK", "mark-of-the-attempt"}};
    orders[size_t(node)].ranks.push_back(rank);
  }
  orders[0].files.push_back({"/jobs/7/hostfile", "node-0 slots=1\nnode-1 slots=1\n", 0644});
  return orders;
}

TEST(PlanPageTest, CommonVariablesAreShownOnceAndOthersPerRank) {
  CaptureScreen screen;
  const std::string page = PlanPage(screen, TwoNodes(), {});
  EXPECT_THAT(page, HasSubstr("2 nodes, 2 ranks\n"));
  EXPECT_THAT(page, HasSubstr("python3 'my train.py'"));
  EXPECT_EQ(page.find("WORLD_SIZE=2"), page.rfind("WORLD_SIZE=2"));
  EXPECT_THAT(page, HasSubstr("rank 0\n  RANK=0\nrank 1\n  RANK=1\n"));
  EXPECT_THAT(page, HasSubstr("file /jobs/7/hostfile on node-0\n  node-0 slots=1\n"));
}

TEST(PlanPageTest, SecretsAndTokensAreHidden) {
  CaptureScreen screen;
  std::vector<NodeOrder> orders = TwoNodes();
  HideSecrets(orders);
  const std::string page = PlanPage(screen, orders, {}) + ToJson(ToJsonObject(orders[0]));
  EXPECT_THAT(page, Not(HasSubstr("hunter2")));
  EXPECT_THAT(page, Not(HasSubstr("mark-of-the-attempt")));
  EXPECT_THAT(page, HasSubstr("HF_TOKEN"));
}

TEST(PlanPageTest, EmptyPlanHasAPage) {
  CaptureScreen screen;
  EXPECT_THAT(PlanPage(screen, {}, {}), HasSubstr("0 nodes, 0 ranks"));
}

}  // namespace
}  // namespace muster::cli
