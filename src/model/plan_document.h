#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/order.h"

namespace muster {

// The answer of POST /plan: the orders of all nodes as one JSON document, written node by node.
//   {"common": {"env", "hosts", "aliases"}, "nodes": [order…]}
// Variables with the same value on every node, host names and aliases stand in `common` only. The
// content of a file stands at its first occurrence; a later file with the same content has
// "same_as", the number of that content, counted from 0 over the whole document. So the document
// grows with the number of nodes; with whole orders it would grow with the square.
class PlanWriter {
 public:
  explicit PlanWriter(std::vector<NodeOrder> orders);
  // Replaces `out` by the next part of the document; false: the document is complete.
  bool Next(std::string& out);

 private:
  json::object WithoutCommon(NodeOrder order);

  std::vector<NodeOrder> orders_;
  Pairs common_;
  size_t next_ = 0;
  enum class At { kHead, kNodes, kEnd } at_ = At::kHead;
  std::vector<Shared<std::string>> contents_;    // holds the keys of numbers_
  std::map<std::string_view, int64_t> numbers_;  // of contents
};

// The whole orders that such a document describes.
Result<std::vector<NodeOrder>> ReadPlan(const json::object& document);

}  // namespace muster
