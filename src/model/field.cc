#include "model/field.h"

#include <fmt/format.h>

namespace muster {
namespace {

// Keys reserved for later versions; no spelling suggestion is made for them.
constexpr std::array<std::string_view, 1> kLaterKeys = {"image"};

// Keys that users write outside their section.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSections = {{
    {"nodes", "resources"},
    {"devices", "resources"},
    {"ranks", "resources"},
    {"memory", "resources"},
    {"time", "limits"},
    {"grace", "stop"},
}};

std::string HintFor(const Cursor& at, std::string_view key,
                    std::span<const std::string_view> keys) {
  if (std::ranges::find(kLaterKeys, key) != kLaterKeys.end())
    return "this key is not supported by this version";
  for (const auto& [name, section] : kSections) {
    if (name == key && std::ranges::find(keys, section) != keys.end())
      return fmt::format("it belongs to `{0}`: {0}: {{{1}: …}}", section, key);
  }
  return at.reading.Suggest(key, keys);
}

}  // namespace

void RefuseUnknownKeys(const Cursor& at, const json::object& object,
                       std::span<const std::string_view> keys) {
  for (const auto& member : object) {
    if (std::ranges::find(keys, std::string_view(member.key())) != keys.end()) continue;
    std::string hint = HintFor(at, member.key(), keys);
    // The whole list is shown only without a better hint.
    std::string expected =
        hint.empty() ? fmt::format("one of {}", fmt::join(keys, ", ")) : std::string("a known key");
    at.reading.AddFault(at.At(member.value(), member.key()).path, "an unknown key",
                        std::move(expected), std::move(hint));
  }
}

}  // namespace muster
