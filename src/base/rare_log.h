#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace muster {

// Keeps one fault from filling the log: what fails again and again is logged when it begins, and
// then once a minute. One thread.
class RareLog {
 public:
  // Whether a message about `fault` is due now.
  bool IsDue(const std::string& fault, int64_t steady_ms) {
    const auto [at, is_new] = logged_ms_.try_emplace(fault, steady_ms);
    if (!is_new && steady_ms - at->second < kEveryMs) return false;
    at->second = steady_ms;
    return true;
  }

 private:
  static constexpr int64_t kEveryMs = 60'000;
  std::map<std::string, int64_t> logged_ms_;
};

}  // namespace muster
