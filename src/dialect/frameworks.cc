#include "dialect/framework.h"

namespace muster::dialect {

const std::vector<Framework>& AllFrameworks() {
  // The rows without functions are names that job files may already use elsewhere; they get a
  // clear refusal instead of "unknown".
  static const std::vector<Framework> kAll{
      kCustom,
      kPytorch,
      kMpi,
      {"mindspore", "MindSpore", 0, nullptr, nullptr},
      {"paddle", "PaddlePaddle", 0, nullptr, nullptr},
      {"horovod", "Horovod", 0, nullptr, nullptr},
      {"tensorflow", "TensorFlow", 0, nullptr, nullptr},
  };
  return kAll;
}

}  // namespace muster::dialect
