#include <algorithm>

#include "dialect/framework.h"

namespace muster::dialect {

const std::vector<Framework>& AllFrameworks() {
  static const std::vector<Framework> kAll{kCustom,  kPytorch, kMindspore, kPaddle, kTensorflow,
                                           kHorovod, kMpi,     kDeepspeed, kJax,    kRay};
  return kAll;
}

int NoPorts(const JobSpec&) { return 0; }

int OnePort(const JobSpec&) { return 1; }

int APortARank(const JobSpec& spec) {
  int most = 1;
  for (const Role& role : spec.roles) most = std::max(most, role.ranks);
  return most + 1;
}

int RanksOfRole(const JobSpec&, const Role& role, int) { return role.ranks; }

}  // namespace muster::dialect
