#include "api/operation.h"

#include <array>
#include <cassert>

namespace muster::api {

const Param& PathParam(std::string_view name) {
  using Kind = Param::Kind;
  static const std::array<Param, 5> kParams = {
      Param{"id", Kind::kInt, "the job's number", 1},
      Param{"rank", Kind::kInt, "the rank's number over the whole job", 0,
            std::numeric_limits<int32_t>::max()},
      Param{"node", Kind::kInt, "the node's number in the attempt", 0,
            std::numeric_limits<int32_t>::max()},
      Param{"group", Kind::kText, "the sweep's name, as its submit answered it"},
      Param{"sha256", Kind::kSha256, "SHA-256 of the bytes"},
  };
  for (const Param& param : kParams)
    if (param.name == name) return param;
  assert(false && "a path names a value that has no row here");
  return kParams[0];
}

std::vector<std::string> PathNames(std::string_view path) {
  std::vector<std::string> names;
  for (size_t open = path.find('{'); open != path.npos; open = path.find('{', open + 1)) {
    const size_t close = path.find('}', open);
    names.emplace_back(path.substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace muster::api
