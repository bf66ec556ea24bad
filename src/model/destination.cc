#include "model/destination.h"

#include <array>

#include <fmt/format.h>

#include "model/document.h"
#include "model/scalar.h"
#include "model/source.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"publish", "direct", "url"};
constexpr std::array<std::string_view, 2> kMoments = {"success", "always"};
constexpr std::array<std::string_view, 5> kKeys = {"to", "mode", "when", "sync", "overwrite"};
constexpr std::string_view kForm =
    "{to: PLACE, mode: publish, direct or url, when: success or always, sync: 30s, overwrite: "
    "true}";
// A shorter interval only keeps the disk busy.
constexpr Duration kPause{1000, 86'400'000};

// The long form while it is read.
struct Parts {
  std::optional<std::string> place, mode, when;
  std::optional<int64_t> sync_ms;
  std::optional<bool> overwrite;

  bool bucket() const { return IsBucket(*place); }
  std::string Mode() const { return mode.value_or(bucket() ? "publish" : "direct"); }
};

bool ReadMember(const Cursor& at, const Cursor& inner, std::string_view key, Parts& parts) {
  if (key == "to") return (parts.place = FolderOrBucket{}.Read(inner)).has_value();
  if (key == "mode") return (parts.mode = Choice{kModes}.Read(inner)).has_value();
  if (key == "when") return (parts.when = Choice{kMoments}.Read(inner)).has_value();
  if (key == "sync") return (parts.sync_ms = kPause.Read(inner)).has_value();
  if (key == "overwrite") return (parts.overwrite = YesOrNo{}.Read(inner)).has_value();
  at.reading.AddFault(inner.path, "an unknown key", "to, mode, when, sync or overwrite",
                      at.reading.Suggest(key, kKeys));
  return false;
}

// Whether the members are compatible.
bool Agree(const Cursor& at, const Parts& parts) {
  if (!parts.place) {
    at.reading.AddFault(at.path, "no `to`", std::string(kForm));
    return false;
  }
  const std::string mode = parts.Mode();
  if (mode == "direct" && parts.bucket()) {
    at.reading.AddFault(MemberPath(at.path, "mode"), "direct with a bucket",
                        "publish: ranks cannot write into a bucket as into a folder");
    return false;
  }
  if (mode == "url" && !parts.bucket()) {
    at.reading.AddFault(MemberPath(at.path, "mode"), "url with a folder", "publish or direct");
    return false;
  }
  if (mode == "publish" || (!parts.when && !parts.sync_ms && !parts.overwrite)) return true;
  at.reading.AddFault(at.path, fmt::format("`when`, `sync` or `overwrite` with mode: {}", mode),
                      "mode: publish beside them");
  return false;
}

bool ReadParts(const Cursor& at, const json::object& members, const std::string& name,
               Destinations& all) {
  Parts parts;
  bool good = true;
  for (const auto& member : members)
    good = ReadMember(at, at.At(member.value(), member.key()), member.key(), parts) && good;
  if (!good || !Agree(at, parts)) return false;
  const std::string mode = parts.Mode();
  if (mode == "url") {
    if (parts.place->contains(kJobIdVariable)) {
      at.reading.AddFault(at.path, "${job_id} with mode: url",
                          "a place without it: the command gets the text as it is");
      return false;
    }
    all.urls.emplace_back(name, *parts.place);
  } else if (mode == "direct") {
    all.folders.emplace_back(name, *parts.place);
  } else {
    all.folders.emplace_back(name, "");
    all.published.push_back({.name = name,
                             .to = *parts.place,
                             .always = parts.when == "always",
                             .sync_ms = parts.sync_ms.value_or(0),
                             .overwrite = parts.overwrite.value_or(false)});
  }
  return true;
}

bool ReadOne(const Cursor& at, const std::string& name, Destinations& all) {
  if (const auto* members = at.value.if_object()) return ReadParts(at, *members, name, all);
  if (at.value.is_null()) {
    all.folders.emplace_back(name, "");
    return true;
  }
  const auto place = FolderOrBucket{}.Read(at);
  if (!place) return false;
  const bool bucket = IsBucket(*place);
  all.folders.emplace_back(name, bucket ? "" : *place);
  if (bucket) all.published.push_back({.name = name, .to = *place});
  return true;
}

}  // namespace

std::optional<std::string> FolderOrBucket::Read(const Cursor& at) const {
  auto text = at.Text(expected);
  if (!text) return std::nullopt;
  const std::string_view fault = IsBucket(*text) ? FarFault(*text) : std::string_view();
  const bool near = text->find("://") == std::string::npos || text->starts_with("file:///");
  if (!text->empty() && fault.empty() && (near || IsBucket(*text))) return text;
  at.reading.AddFault(at.path, text->empty() ? "an empty text" : DescribeValue(json::string(*text)),
                      std::string(expected), std::string(fault));
  return std::nullopt;
}

json::object FolderOrBucket::Schema() const {
  return {{"type", "string"},
          {"pattern", "^(file:///|(s3|obs)://[A-Za-z0-9$]|(?!.*://))"},
          {"minLength", 1}};
}

std::optional<Destinations> DestinationEntries::Read(const Cursor& at) const {
  Destinations all;
  if (at.value.is_null()) return all;
  const auto* object = at.value.if_object();
  if (object == nullptr) {
    at.Fault("a map of names and places");
    return std::nullopt;
  }
  bool good = true;
  BuiltIns names = at.built_ins;
  names.job_id = kJobIdVariable;
  for (const auto& member : *object) {
    const Cursor inner = at.At(member.value(), member.key()).With(names);
    const bool good_key = CheckKey(inner, member.key(), kParameterRule);
    good = ReadOne(inner, std::string(member.key()), all) && good_key && good;
  }
  if (good) return all;
  return std::nullopt;
}

json::object DestinationEntries::Schema() const {
  const json::object place = FolderOrBucket{}.Schema();
  const json::object parts = {{"type", "object"},
                              {"required", json::array{"to"}},
                              {"properties", json::object{{"to", place},
                                                          {"mode", Choice{kModes}.Schema()},
                                                          {"when", Choice{kMoments}.Schema()},
                                                          {"sync", kPause.Schema()},
                                                          {"overwrite", YesOrNo{}.Schema()}}},
                              {"additionalProperties", false}};
  const json::object nothing = {{"type", "null"}};
  return {{"type", json::array{"object", "null"}},
          {"propertyNames", json::object{{"pattern", kParameterRule.Pattern()}}},
          {"additionalProperties", json::object{{"anyOf", json::array{place, parts, nothing}}}}};
}

}  // namespace muster
