#include "model/spec_flags.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/document.h"
#include "model/scalar.h"
#include "model/source.h"

namespace muster {
namespace {

// Sets values in the document by path, and removes their file positions.
class Overlay {
 public:
  Overlay(json::object base, Marks* marks) : document_(std::move(base)), marks_(marks) {}

  void Put(std::string_view key, json::value value) {
    Forget(key);
    document_[key] = std::move(value);
  }

  // Sets a member of a map. If the file has another type there, the value stays and is reported by
  // the reader.
  void Put(std::string_view map, std::string_view key, json::value value) {
    json::value& member = document_[map];
    if (member.is_null()) member = json::object();
    if (!member.is_object()) return;
    Forget(MemberPath(map, key));
    member.get_object()[key] = std::move(value);
  }

  void PutText(std::string_view key, const std::optional<std::string>& text) {
    if (text) Put(key, json::string(*text));
  }

  // Stores numbers as a file would; other text is stored as text and reported by the reader.
  void PutNumber(std::string_view key, const std::optional<std::string>& text) {
    if (text) Put(key, NumberOrText(*text));
  }

  void PutAll(std::string_view map, const Pairs& pairs) {
    for (const auto& [name, value] : pairs) Put(map, name, json::string(value));
  }

  void AllowOverwriting() {
    json::value* outputs = document_.if_contains("outputs");
    if (outputs == nullptr || !outputs->is_object()) return;
    for (auto& member : outputs->get_object()) {
      json::value& place = member.value();
      if (place.is_string() && IsBucket(place.get_string()))
        place = json::object{{"to", place.get_string()}};
      if (place.is_object()) place.get_object()["overwrite"] = true;
    }
  }

  static json::value NumberOrText(std::string_view text) {
    if (const auto number = ParseInt(text)) return *number;
    return json::string(text);
  }

  json::object Take() { return std::move(document_); }

 private:
  void Forget(std::string_view path) {
    if (marks_ == nullptr) return;
    std::erase_if(marks_->at, [path](const auto& mark) {
      const std::string& other = mark.first;
      if (!other.starts_with(path)) return false;
      return other.size() == path.size() || other[path.size()] == '.' || other[path.size()] == '[';
    });
  }

  json::object document_;
  Marks* marks_;
};

void PutResources(const FlagValues& flags, Overlay& overlay) {
  if (flags.nodes) overlay.Put("resources", "nodes", Overlay::NumberOrText(*flags.nodes));
  if (flags.devices) overlay.Put("resources", "devices", json::string(*flags.devices));
  if (flags.ranks) overlay.Put("resources", "ranks", Overlay::NumberOrText(*flags.ranks));
  if (flags.memory) overlay.Put("resources", "memory", json::string(*flags.memory));
}

void PutCommand(const FlagValues& flags, Overlay& overlay) {
  if (flags.command.empty()) return;
  if (flags.command.size() == 1) return overlay.Put("run", json::string(flags.command.front()));
  json::array words;
  for (const std::string& word : flags.command) words.emplace_back(word);
  overlay.Put("run", std::move(words));
}

void PutAfter(const FlagValues& flags, Overlay& overlay) {
  if (flags.after.empty()) return;
  json::array list;
  for (const std::string& text : flags.after) {
    const size_t colon = text.find(':');
    const json::value job = Overlay::NumberOrText(std::string_view(text).substr(0, colon));
    if (colon == std::string::npos) {
      list.push_back(job);
    } else {
      list.push_back(json::object{{"job", job}, {"when", text.substr(colon + 1)}});
    }
  }
  overlay.Put("after", std::move(list));
}

void PutSweep(const FlagValues& flags, Overlay& overlay) {
  for (const auto& [name, values] : flags.sweep) {
    json::array list;
    if (!values.empty())
      for (const std::string& value : Split(values, ',')) list.emplace_back(value);
    overlay.Put("sweep", name, std::move(list));
  }
}

void PutOutputs(const FlagValues& flags, Overlay& overlay) {
  for (const auto& [name, place] : flags.outputs) {
    overlay.Put("outputs", name, place.empty() ? json::value() : json::value(place));
  }
}

}  // namespace

json::object DocumentFromFlags(const FlagValues& flags, Marks* marks) {
  Overlay overlay(flags.base.value_or(json::object()), marks);
  overlay.PutText("name", flags.name);
  overlay.PutText("framework", flags.framework);
  overlay.PutText("platform", flags.platform);
  overlay.PutText("code", flags.code);
  overlay.PutText("python", flags.python);
  overlay.PutText("workdir", flags.workdir);
  overlay.PutNumber("priority", flags.priority);
  overlay.PutNumber("retries", flags.retries);
  overlay.PutText("on_retry", flags.on_retry);
  if (flags.preemptible) overlay.Put("preemptible", *flags.preemptible);
  if (flags.time) overlay.Put("limits", "time", json::string(*flags.time));
  if (flags.grace) overlay.Put("stop", "grace", json::string(*flags.grace));
  PutResources(flags, overlay);
  PutCommand(flags, overlay);
  PutAfter(flags, overlay);
  PutSweep(flags, overlay);
  PutOutputs(flags, overlay);
  if (flags.overwrite) overlay.AllowOverwriting();
  overlay.PutAll("env", flags.env);
  overlay.PutAll("parameters", flags.parameters);
  overlay.PutAll("inputs", flags.inputs);
  overlay.PutAll("labels", flags.labels);
  overlay.PutAll("launch", flags.launch);
  return overlay.Take();
}

Result<std::pair<std::string, std::string>> SplitPair(std::string_view text,
                                                      std::string_view flag) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Fail(Code::kInvalid, fmt::format("{} \"{}\" is not NAME=VALUE", flag, ShortText(text)),
                fmt::format("write it as in {} name=value", flag));
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

}  // namespace muster
