#include "model/source.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "model/scalar.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 2> kBuckets = {"s3://", "obs://"};
constexpr std::array<std::string_view, 2> kAddresses = {"http://", "https://"};
constexpr std::array<std::string_view, 2> kModes = {"fetch", "url"};
constexpr std::array<std::string_view, 2> kKeys = {"from", "mode"};
constexpr std::string_view kExpected =
    "a path, s3://BUCKET/KEY, obs://BUCKET/KEY or an http(s):// address";
constexpr size_t kLongestKey = 1024;
constexpr size_t kLongestName = 255;

// The rest after the scheme; nothing for other schemes.
std::optional<std::string_view> Behind(std::string_view place,
                                       std::span<const std::string_view> schemes) {
  for (const std::string_view scheme : schemes)
    if (place.starts_with(scheme)) return place.substr(scheme.size());
  return std::nullopt;
}

bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "BUCKET" or "PROFILE@BUCKET", by the rule of the copier.
bool IsBucketName(std::string_view text) {
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    if (at == 0) return false;
    text.remove_prefix(at + 1);
  }
  return text.size() >= 3 && text.size() <= 255 && IsAlnum(text.front()) &&
         text.find("..") == std::string_view::npos && std::ranges::all_of(text, [](char c) {
           return IsAlnum(c) || c == '-' || c == '.' || c == '_';
         });
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

std::optional<std::string> ReadSource(const Cursor& at) {
  auto text = at.Text(kExpected);
  if (!text) return std::nullopt;
  const std::string_view fault = IsFar(*text) ? FarFault(*text) : std::string_view();
  const bool near = text->find("://") == std::string::npos || text->starts_with("file:///");
  if (!text->empty() && fault.empty() && (near || IsFar(*text))) return text;
  at.reading.AddFault(at.path, text->empty() ? "an empty text" : DescribeValue(json::string(*text)),
                      std::string(kExpected), std::string(fault));
  return std::nullopt;
}

// The long form.
bool ReadParts(const Cursor& at, const json::object& parts, const std::string& name,
               Sources& sources) {
  bool good = true;
  std::string mode(kModes.front());
  std::optional<std::string> place;
  for (const auto& member : parts) {
    const Cursor inner = at.At(member.value(), member.key());
    if (member.key() == "from") {
      place = ReadSource(inner);
      good = good && place;
    } else if (member.key() == "mode") {
      const auto read = Choice{kModes}.Read(inner);
      good = good && read;
      mode = read.value_or(mode);
    } else {
      at.reading.AddFault(inner.path, "an unknown key", "from or mode",
                          at.reading.Suggest(member.key(), kKeys));
      good = false;
    }
  }
  if (!parts.contains("from")) {
    at.reading.AddFault(at.path, "no `from`", "{from: PLACE, mode: fetch or url}");
    good = false;
  }
  if (!good) return false;
  (mode == "url" && IsFar(*place) ? sources.urls : sources.places).emplace_back(name, *place);
  return true;
}

bool ReadOne(const Cursor& at, const std::string& name, Sources& sources) {
  if (const auto* parts = at.value.if_object()) return ReadParts(at, *parts, name, sources);
  auto place = ReadSource(at);
  if (place) sources.places.emplace_back(name, std::move(*place));
  return place.has_value();
}

}  // namespace

bool IsFar(std::string_view place) {
  return Behind(place, kBuckets).has_value() || Behind(place, kAddresses).has_value();
}

bool IsBucket(std::string_view place) { return Behind(place, kBuckets).has_value(); }

std::string_view FarFault(std::string_view place) {
  if (HasControl(place)) return "control characters cannot stand in it";
  if (const auto rest = Behind(place, kBuckets)) {
    const size_t slash = std::min(rest->find('/'), rest->size());
    if (!IsBucketName(rest->substr(0, slash)))
      return "a bucket's name has 3 to 255 letters, digits, dots, dashes and underscores";
    if (rest->size() > slash + 1 + kLongestKey) return "a key has at most 1024 bytes";
    return {};
  }
  const auto rest = Behind(place, kAddresses);
  const std::string_view host = rest->substr(0, rest->find_first_of("/?#"));
  if (host.empty()) return "the address has no host";
  if (host.find('@') != std::string_view::npos) return "a user's name cannot stand in it";
  if (FarName(place).empty()) return "the address must name a file";
  return {};
}

std::string FarName(std::string_view place) {
  if (Behind(place, kAddresses)) place = place.substr(0, place.find_first_of("?#"));
  const size_t host = place.find("://");
  if (host == std::string_view::npos) return {};
  place.remove_prefix(host + 3);
  const size_t slash = place.rfind('/');
  if (slash == std::string_view::npos) return {};
  std::string name(place.substr(slash + 1));
  const bool possible = name != "." && name != ".." && name.size() <= kLongestName &&
                        name.find('\0') == std::string::npos;
  return possible ? name : std::string();
}

std::optional<Sources> SourceEntries::Read(const Cursor& at) const {
  Sources sources;
  if (at.value.is_null()) return sources;
  const auto* object = at.value.if_object();
  if (object == nullptr) {
    at.Fault("a map of names and places");
    return std::nullopt;
  }
  bool good = true;
  for (const auto& member : *object) {
    const Cursor inner = at.At(member.value(), member.key());
    const bool good_key = CheckKey(inner, member.key(), kParameterRule);
    good = ReadOne(inner, std::string(member.key()), sources) && good_key && good;
  }
  if (good) return sources;
  return std::nullopt;
}

json::object SourceEntries::Schema() const {
  const json::object place = {
      {"type", "string"},
      {"pattern", "^(file:///|(s3|obs|https?)://[A-Za-z0-9$\\[]|(?!.*://))"},
      {"minLength", 1}};
  const json::object parts = {
      {"type", "object"},
      {"required", json::array{"from"}},
      {"properties", json::object{{"from", place}, {"mode", Choice{kModes}.Schema()}}},
      {"additionalProperties", false}};
  return {{"type", json::array{"object", "null"}},
          {"propertyNames", json::object{{"pattern", kParameterRule.Pattern()}}},
          {"additionalProperties", json::object{{"anyOf", json::array{place, parts}}}}};
}

}  // namespace muster
