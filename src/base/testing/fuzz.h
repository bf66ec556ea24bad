#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace muster {

// For fuzz targets: a violated condition crashes, and libFuzzer keeps the input.
inline void Require(bool promise) {
  if (!promise) std::abort();
}

inline std::string_view FuzzText(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Several small parsers share one fuzz target: the first byte of an input selects the parser. It is
// a digit, so that seeds can be written by hand.
struct FuzzChoice {
  size_t which;
  std::string_view text;
};
inline FuzzChoice Choose(const uint8_t* data, size_t size, size_t choices) {
  if (size == 0) return {0, {}};
  return {(data[0] + choices * 48 - '0') % choices, FuzzText(data + 1, size - 1)};
}

}  // namespace muster
