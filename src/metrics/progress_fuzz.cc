#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "metrics/progress.h"

// Any bytes: no crash, only finite numbers, and the text can be made of them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster::metrics;
  Progress progress;
  progress.Take({reinterpret_cast<const char*>(data), size});
  for (const auto& [name, value] : progress.values()) {
    if (!std::isfinite(value)) std::abort();
  }
  ProgressText(progress.values());
  return 0;
}
