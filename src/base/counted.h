#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

// "1 file", "2 files", "2 processes".
inline std::string Counted(int64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count != 1) text += noun.ends_with('s') ? "es" : "s";
  return text;
}

}  // namespace muster
