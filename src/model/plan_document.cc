#include "model/plan_document.h"

#include <algorithm>
#include <set>

#include "model/pairs.h"

namespace muster {
namespace {

constexpr size_t kPart = 64 << 10;

// The value of a variable in `env`. Nodes have the same variables in the same places, mostly.
const std::string* ValueAt(const Pairs& env, size_t place, const std::string& name) {
  if (place < env.size() && env[place].first == name) return &env[place].second;
  const auto found = std::ranges::find(env, name, [](const auto& pair) { return pair.first; });
  return found == env.end() ? nullptr : &found->second;
}

// Takes the variables that have one value on all nodes out of the orders.
Pairs TakeCommon(std::vector<NodeOrder>& orders) {
  if (orders.empty()) return {};
  const Pairs& first = orders.front().env;
  std::set<std::string> names;
  for (size_t i = 0; i < first.size(); ++i) {
    const bool same = std::ranges::all_of(orders, [&](const NodeOrder& order) {
      const std::string* value = ValueAt(order.env, i, first[i].first);
      return value != nullptr && *value == first[i].second;
    });
    if (same) names.insert(first[i].first);
  }
  const auto is_common = [&](const auto& pair) { return names.contains(pair.first); };
  Pairs common;
  std::ranges::copy_if(first, std::back_inserter(common), is_common);
  for (NodeOrder& order : orders) std::erase_if(order.env, is_common);
  return common;
}

Status FillFiles(const json::object& node, std::vector<Shared<std::string>>& contents,
                 NodeOrder& order) {
  const json::array* files = GetArray(node, "files");
  for (size_t i = 0; files != nullptr && i < files->size() && i < order.files.size(); ++i) {
    const json::object* file = (*files)[i].if_object();
    if (file == nullptr) return Fail(Code::kCorrupt, "a file in a plan is not a JSON object");
    if (!file->contains("same_as")) {
      contents.push_back(order.files[i].content);
      continue;
    }
    const int64_t number = GetInt(*file, "same_as", -1);
    if (number < 0 || size_t(number) >= contents.size())
      return Fail(Code::kCorrupt, "a file in a plan names a content that no file before it has");
    order.files[i].content = contents[size_t(number)];
  }
  return {};
}

}  // namespace

PlanWriter::PlanWriter(std::vector<NodeOrder> orders)
    : orders_(std::move(orders)), common_(TakeCommon(orders_)) {}

json::object PlanWriter::WithoutCommon(NodeOrder order) {
  std::vector<int64_t> same_as;
  for (OrderFile& file : order.files) {
    const auto [first, is_new] = numbers_.emplace(*file.content, int64_t(contents_.size()));
    same_as.push_back(is_new ? -1 : first->second);
    if (is_new) {
      contents_.push_back(file.content);
    } else {
      file.content = {};
    }
  }
  order.hosts = {};
  order.aliases = {};
  json::object node = ToJsonObject(order);
  node.erase("hosts");
  node.erase("aliases");
  json::array& files = node["files"].as_array();
  for (size_t i = 0; i < files.size(); ++i) {
    if (same_as[i] < 0) continue;
    files[i].as_object().erase("content");
    files[i].as_object()["same_as"] = same_as[i];
  }
  return node;
}

bool PlanWriter::Next(std::string& out) {
  out.clear();
  if (at_ == At::kHead) {
    json::object common = orders_.empty() ? json::object{} : CommonOfNodes(orders_.front());
    common["env"] = PairsToJson(common_);
    out = "{\"common\":" + ToJson(common) + ",\"nodes\":[";
    at_ = At::kNodes;
    return true;
  }
  if (at_ == At::kEnd) return false;
  for (; next_ < orders_.size() && out.size() < kPart; ++next_) {
    if (next_ > 0) out += ',';
    out += ToJson(WithoutCommon(std::move(orders_[next_])));
  }
  if (next_ == orders_.size()) {
    out += "]}\n";
    at_ = At::kEnd;
  }
  return true;
}

Result<std::vector<NodeOrder>> ReadPlan(const json::object& document) {
  const json::object* common = GetObject(document, "common");
  const json::array* nodes = GetArray(document, "nodes");
  if (common == nullptr || nodes == nullptr)
    return Fail(Code::kInvalid, "the server answers with a plan in another form",
                "use the same muster as the server");
  NodeOrder shared;
  ReadCommonOfNodes(*common, shared);
  const Pairs env = PairsFromJson(GetObject(*common, "env"));
  std::vector<Shared<std::string>> contents;
  std::vector<NodeOrder> orders;
  orders.reserve(nodes->size());
  for (const json::value& node : *nodes) {
    MUSTER_ASSIGN(NodeOrder order, NodeOrderFromJson(node));
    order.hosts = shared.hosts;
    order.aliases = shared.aliases;
    order.env.insert(order.env.begin(), env.begin(), env.end());
    MUSTER_TRY(FillFiles(node.as_object(), contents, order));
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace muster
