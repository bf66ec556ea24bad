#include "model/plan_document.h"

#include <gmock/gmock.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::Pair;

NodeOrder Order(int node) {
  NodeOrder order;
  order.token = "token";
  order.node = node;
  order.node_count = 3;
  order.dir = "/attempt/node" + std::to_string(node);
  order.attempt_dir = "/attempt";
  order.env = {{"ADDRESSES", "a,b,c"}, {"NODE", std::to_string(node)}, {"LANG", "C"}};
  order.hosts = Hosts{{"a", "node-0"}, {"b", "node-1"}, {"c", "node-2"}};
  order.aliases = Aliases{{0, "master"}};
  order.files = {{"/hosts", std::string("all nodes")}, {"/own", "node " + std::to_string(node)}};
  order.ranks = {{.rank = node, .argv = {"true"}, .env = {{"RANK", std::to_string(node)}}}};
  return order;
}

std::string Text(std::vector<NodeOrder> orders) {
  PlanWriter writer(std::move(orders));
  std::string text, part;
  while (writer.Next(part)) text += part;
  EXPECT_FALSE(writer.Next(part));
  return text;
}

json::object Document(std::vector<NodeOrder> orders) {
  const Result<json::value> parsed = ParseJson(Text(std::move(orders)));
  EXPECT_TRUE(parsed);
  return parsed ? parsed->as_object() : json::object{};
}

TEST(PlanDocument, ReadingRestoresTheWholeOrders) {
  const auto orders = ReadPlan(Document({Order(0), Order(1), Order(2)}));
  ASSERT_TRUE(orders) << orders.error().text;
  ASSERT_EQ(orders->size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const NodeOrder& read = (*orders)[size_t(i)];
    EXPECT_THAT(read.env, testing::UnorderedElementsAreArray(Order(i).env));
    EXPECT_EQ(*read.hosts, *Order(i).hosts);
    EXPECT_EQ(*read.aliases, *Order(i).aliases);
    ASSERT_EQ(read.files.size(), 2u);
    EXPECT_EQ(*read.files[0].content, "all nodes");
    EXPECT_EQ(*read.files[1].content, "node " + std::to_string(i));
    EXPECT_THAT(read.ranks[0].env, ElementsAre(Pair("RANK", std::to_string(i))));
    EXPECT_EQ(read.dir, Order(i).dir);
  }
}

TEST(PlanDocument, CommonPartsAreWrittenOnce) {
  const std::string text = Text({Order(0), Order(1), Order(2)});
  for (const char* once : {"a,b,c", "node-2", "master", "all nodes"}) {
    const size_t found = text.find(once);
    ASSERT_NE(found, text.npos) << once;
    EXPECT_EQ(text.find(once, found + 1), text.npos) << once;
  }
}

TEST(PlanDocument, VariableThatOneNodeLacksOrChangesIsNotCommon) {
  NodeOrder other = Order(1), lacking = Order(2);
  other.env[2].second = "de_DE";
  lacking.env.erase(lacking.env.begin());
  const json::object document = Document({Order(0), other, lacking});
  EXPECT_TRUE(GetObject(*GetObject(document, "common"), "env")->empty());
  const auto orders = ReadPlan(document);
  ASSERT_TRUE(orders);
  EXPECT_THAT((*orders)[1].env, testing::Contains(Pair("LANG", "de_DE")));
  EXPECT_THAT((*orders)[2].env, testing::Not(testing::Contains(Pair("ADDRESSES", testing::_))));
}

TEST(PlanDocument, NoPartIsMuchLargerThanOneOrder) {
  std::vector<NodeOrder> orders;
  for (int i = 0; i < 2000; ++i) orders.push_back(Order(i));
  PlanWriter writer(std::move(orders));
  std::string part;
  size_t parts = 0;
  for (; writer.Next(part); ++parts) EXPECT_LT(part.size(), size_t{128} << 10);
  EXPECT_GT(parts, 10u);
}

TEST(PlanDocument, EmptyPlanIsADocument) {
  const auto orders = ReadPlan(Document({}));
  ASSERT_TRUE(orders) << orders.error().text;
  EXPECT_TRUE(orders->empty());
}

TEST(PlanDocument, ContentThatNoEarlierFileHasIsRefused) {
  json::object document = Document({Order(0), Order(1)});
  json::object& file =
      document["nodes"].as_array()[1].as_object()["files"].as_array()[0].as_object();
  for (const int64_t number : {int64_t{7}, int64_t{-1}}) {
    file["same_as"] = number;
    EXPECT_FALSE(ReadPlan(document));
  }
}

TEST(PlanDocument, AnswerOfAnotherVersionIsNamed) {
  const auto orders = ReadPlan(json::object{{"nodes", json::array{}}});
  ASSERT_FALSE(orders);
  EXPECT_EQ(orders.error().next, "use the same muster as the server");
}

}  // namespace
}  // namespace muster
