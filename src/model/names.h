#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace muster {

// The names of an enum in the order of its values, for JSON and the journal. The count is derived
// from the last enumerator, so that a missing name does not compile.
template <typename Enum, Enum kLast>
using NameTable = std::array<const char*, size_t(kLast) + 1>;

template <typename Enum, size_t kCount>
std::optional<Enum> FromName(const std::array<const char*, kCount>& names, std::string_view name) {
  for (size_t i = 0; i < kCount; ++i)
    if (name == names[i]) return Enum(i);
  return std::nullopt;
}

}  // namespace muster
