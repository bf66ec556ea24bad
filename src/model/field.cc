#include "model/field.h"

#include <fmt/format.h>

namespace muster {
namespace {

// Keys that later versions will have; they are not slips of the finger.
constexpr std::array<std::string_view, 1> kLaterKeys = {"image"};

}  // namespace

void RefuseUnknownKeys(const Cursor& at, const json::object& object,
                       std::span<const std::string_view> keys) {
  for (const auto& member : object) {
    if (std::ranges::find(keys, std::string_view(member.key())) != keys.end()) continue;
    const bool later =
        std::ranges::find(kLaterKeys, std::string_view(member.key())) != kLaterKeys.end();
    std::string hint = later ? "this key is not supported by this version"
                             : at.reading.Suggest(member.key(), keys);
    // The whole list helps only the one who has no better hint.
    std::string expected = hint.empty() ? fmt::format("one of {}", fmt::join(keys, ", "))
                                        : std::string("a key that is known here");
    at.reading.AddFault(at.At(member.value(), member.key()).path, "an unknown key",
                        std::move(expected), std::move(hint));
  }
}

}  // namespace muster
