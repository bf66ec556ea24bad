#pragma once

#include <optional>
#include <string_view>

#include "metrics/names.h"

namespace muster::metrics {

// A progress bar of tqdm ("Train:  50%|##  | 5/10 [00:01<00:01, 5.0it/s, loss=0.5]") or of Keras
// ("5/10 [==>..] - loss: 0.5").
struct Bar {
  bool keras = false;
  std::string_view description = {};  // in front of the bar
  std::optional<double> count = {}, total = {};
  std::string_view postfix = {};  // values inside of the bar
  std::string_view after = {};    // text of another writer behind the bar
};

std::optional<Bar> FindBar(std::string_view clean_line);

// What a bar counts, by its description.
enum class BarKind { kPlain, kSteps, kEpochs, kEvaluation, kOther };
BarKind KindOf(std::string_view description);

}  // namespace muster::metrics
