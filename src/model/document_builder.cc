#include <fmt/format.h>

#include "base/text.h"
#include "model/document.h"
#include "model/scalar.h"

namespace muster {
namespace {

constexpr size_t kMaxMarkedPath = 1024;  // deeper paths use the mark of their parent

void RefuseNul(std::string_view text, Position at) {
  if (text.find('\0') == std::string_view::npos) return;
  RefuseDocument(at, "a NUL character in a text", "text without NUL characters");
}

}  // namespace

std::string MemberPath(std::string_view parent, std::string_view key) {
  std::string path(parent);
  if (!path.empty()) path += '.';
  return path + ShortText(key);
}

std::string ItemPath(std::string_view parent, size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

bool DocumentBuilder::WantsKey() const {
  return !frames_.empty() && frames_.back().container.is_object() && !frames_.back().has_key;
}

std::string DocumentBuilder::ChildPath() const {
  if (frames_.empty()) return {};
  const Frame& frame = frames_.back();
  if (frame.container.is_object()) return MemberPath(frame.path, frame.key);
  return ItemPath(frame.path, frame.container.get_array().size());
}

void DocumentBuilder::Mark(const std::string& path, Position at) {
  if (marks_ == nullptr || path.size() > kMaxMarkedPath) return;
  marks_->at.emplace_back(path, std::pair(at.line, at.column));
}

void DocumentBuilder::Charge(int values, size_t bytes, Position at) {
  if (values > kMaxDocumentValues - values_) {
    RefuseDocument(at, fmt::format("more than {} values", kMaxDocumentValues),
                   fmt::format("at most {} values, aliases written out", kMaxDocumentValues));
  }
  if (bytes > kMaxDocumentBytes - bytes_) {
    RefuseDocument(at, "more than 1 MiB of values", "at most 1 MiB of values, aliases written out");
  }
  values_ += values;
  bytes_ += bytes;
}

void DocumentBuilder::Scalar(json::value value, Position at, Anchor anchor) {
  const size_t bytes = value.is_string() ? value.get_string().size() : sizeof(double);
  if (value.is_string()) RefuseNul(value.get_string(), at);
  Charge(1, bytes, at);
  Mark(ChildPath(), at);
  const Cost cost{.values = 1, .depth = 0, .bytes = bytes};
  if (anchor != 0) anchors_[anchor] = {value, cost};
  Add(std::move(value), cost);
}

void DocumentBuilder::BeginList(Position at, Anchor anchor) { Begin(json::array(), at, anchor); }

void DocumentBuilder::BeginMap(Position at, Anchor anchor) { Begin(json::object(), at, anchor); }

void DocumentBuilder::Begin(json::value container, Position at, Anchor anchor) {
  if (frames_.size() >= size_t(kMaxDocumentDepth)) {
    RefuseDocument(at,
                   fmt::format("lists and maps nested more than {} levels deep", kMaxDocumentDepth),
                   fmt::format("at most {} levels", kMaxDocumentDepth));
  }
  Charge(1, 0, at);
  Frame frame;
  frame.path = ChildPath();
  // A block begins on the line below its key; the mark is at the key, where a reader looks.
  const bool has_key = !frames_.empty() && frames_.back().has_key;
  Mark(frame.path, has_key ? frames_.back().key_at : at);
  frame.container = std::move(container);
  frame.anchor = anchor;
  frame.cost = {.values = 1, .depth = 1, .bytes = 0};
  frames_.push_back(std::move(frame));
}

void DocumentBuilder::Key(std::string_view key, Position at) {
  RefuseNul(key, at);
  if (key.size() > kMaxKeyBytes) {
    RefuseDocument(at, fmt::format("a key of {} bytes", key.size()),
                   fmt::format("keys of at most {} bytes", kMaxKeyBytes));
  }
  Charge(0, key.size(), at);
  Frame& frame = frames_.back();
  frame.key = key;
  frame.has_key = true;
  frame.key_at = at;
  frame.cost.bytes += key.size();
  const auto [first, is_new] = frame.seen.try_emplace(frame.key, at);
  if (is_new) return;
  faults_.push_back({.path = MemberPath(frame.path, key),
                     .line = at.line,
                     .column = at.column,
                     .found = "the key a second time",
                     .expected = "every key once",
                     .hint = fmt::format("first written in line {}", first->second.line)});
}

void DocumentBuilder::End() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.anchor != 0) anchors_[frame.anchor] = {frame.container, frame.cost};
  Add(std::move(frame.container), frame.cost);
}

void DocumentBuilder::Alias(Anchor anchor, Position at) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    RefuseDocument(at, "an alias inside the value that it stands for",
                   "an alias to a finished value");
  }
  const auto& [value, cost] = found->second;
  if (int(frames_.size()) + cost.depth > kMaxDocumentDepth) {
    RefuseDocument(at, fmt::format("aliases nested more than {} levels deep", kMaxDocumentDepth),
                   fmt::format("at most {} levels", kMaxDocumentDepth));
  }
  Charge(cost.values, cost.bytes, at);
  Mark(ChildPath(), at);
  Add(value, cost);
}

void DocumentBuilder::Add(json::value value, const Cost& cost) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return;
  }
  Frame& frame = frames_.back();
  frame.cost.values += cost.values;
  frame.cost.bytes += cost.bytes;
  frame.cost.depth = std::max(frame.cost.depth, cost.depth + 1);
  if (frame.container.is_array()) {
    frame.container.get_array().push_back(std::move(value));
    return;
  }
  frame.has_key = false;
  frame.container.get_object().emplace(frame.key, std::move(value));  // the first of duplicates
}

}  // namespace muster
