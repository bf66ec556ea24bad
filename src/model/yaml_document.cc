#include <array>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/text.h"
#include "model/document.h"
#include "model/scalar.h"

namespace muster {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// yaml-cpp counts lines from 0 and columns in bytes.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text), lines_{0} {
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }

  Position At(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    Position at{.line = mark.line + 1, .column = mark.column + 1};
    // Columns are counted in characters only up to this width.
    constexpr int kWidest = 1000;
    if (mark.column > kWidest || size_t(mark.line) >= lines_.size()) return at;
    at.column = PositionOf(text_.substr(lines_[size_t(mark.line)]), size_t(mark.column)).column;
    return at;
  }

 private:
  std::string_view text_;
  std::vector<size_t> lines_;
};

// Turns yaml-cpp's events into those of the builder. Throwing from an event ends its recursion, so
// the builder's depth limit is also the limit of yaml-cpp's stack.
class Events final : public YAML::EventHandler {
 public:
  Events(const Places& places, DocumentBuilder& builder) : places_(places), builder_(builder) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!builder_.HasRoot()) return;
    RefuseDocument(places_.At(mark), "a second document", "one job a file",
                   "write the second job into a file of its own");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseKey(mark, "nothing");
    builder_.Scalar(nullptr, places_.At(mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseKey(mark, "an alias");
    builder_.Alias(anchor, places_.At(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (!builder_.WantsKey())
      return builder_.Scalar(Resolve(mark, tag, text), places_.At(mark), anchor);
    if (text == "<<" && tag == "?") {
      RefuseDocument(places_.At(mark), "the merge key \"<<\"", "plain keys",
                     "YAML 1.2 has no merge keys: write the members out");
    }
    if (anchor != 0)
      RefuseDocument(places_.At(mark), "an anchor on a key", "anchors on values only");
    builder_.Key(text, places_.At(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    RefuseKey(mark, "a list");
    RefuseTag(mark, tag, "seq");
    builder_.BeginList(places_.At(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.End(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    RefuseKey(mark, "a map");
    RefuseTag(mark, tag, "map");
    builder_.BeginMap(places_.At(mark), anchor);
  }
  void OnMapEnd() override { builder_.End(); }

 private:
  void RefuseKey(const YAML::Mark& mark, std::string_view found) const {
    if (!builder_.WantsKey()) return;
    RefuseDocument(places_.At(mark), fmt::format("{} as a key", found), "text as a key",
                   "a value with braces, such as \"${name}\", needs quotes inside { } and [ ]");
  }

  void RefuseTag(const YAML::Mark& mark, const std::string& tag, std::string_view type) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    if (tag.starts_with(kCoreTag) && tag.substr(kCoreTag.size()) == type) return;
    RefuseDocument(places_.At(mark), fmt::format("the tag {}", ShortText(tag)),
                   "values without tags");
  }

  // Tag "?" is a plain scalar, "!" a quoted one; the core tags may force a type.
  json::value Resolve(const YAML::Mark& mark, const std::string& tag,
                      const std::string& text) const {
    if (tag == "!") return json::string(text);
    if (tag == "?") return ResolveScalar(text);
    if (tag == std::string(kCoreTag) + "str") return json::string(text);
    json::value value = ResolveScalar(text);
    const bool number = value.is_number() || LooksNumeric(text);
    const std::array<std::pair<std::string_view, bool>, 4> types = {
        {{"null", value.is_null()}, {"bool", value.is_bool()}, {"int", number}, {"float", number}}};
    for (const auto& [type, fits] : types)
      if (fits && tag == std::string(kCoreTag) + std::string(type)) return value;
    RefuseDocument(places_.At(mark),
                   fmt::format("the tag {} on \"{}\"", ShortText(tag), ShortText(text)),
                   "values without tags");
  }

  const Places& places_;
  DocumentBuilder& builder_;
};

}  // namespace

void ReadYamlText(std::string_view text, DocumentBuilder& builder) {
  const Places places(text);
  Events events(places, builder);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    RefuseDocument(places.At(error.mark), "text that is not YAML: " + ShortText(error.msg),
                   "a job file in YAML or JSON",
                   "look for wrong indentation, a missing quote or a \": \" inside a value");
  }
  if (!builder.HasRoot()) {
    RefuseDocument({.line = 1, .column = 1}, "an empty file", "a job, such as \"run: train.py\"");
  }
}

}  // namespace muster
