#pragma once

#include <string_view>

#include "metrics/progress.h"

namespace muster::metrics {

// The numbers in a line of words as PyTorch, Keras, MindSpore, Paddle and their users print them:
// "epoch: 1 step: 20, loss is 1.23", "Epoch[1](100/390) Loss 0.1", "ips: 320.5 images/s". The first
// value of a name counts.
Values ReadText(std::string_view line);

}  // namespace muster::metrics
