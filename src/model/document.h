#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/spec_reader.h"

namespace muster {

// The text layer of job files: from bytes to a tree of JSON values. Internal to model/; other
// modules call ReadDocument.

inline constexpr size_t kMaxDocumentBytes = size_t{1} << 20;  // of the text and of its values
inline constexpr int kMaxDocumentDepth = 64;
inline constexpr int kMaxDocumentValues = 10'000;
inline constexpr size_t kMaxKeyBytes = 256;

// Counted from 1, columns in characters; 0 if unknown.
struct Position {
  int line = 0;
  int column = 0;
};

// Thrown by the parsers and caught by ReadDocument; the rest of the text is not parsed.
struct DocumentError : std::exception {
  explicit DocumentError(Fault what) : fault(std::move(what)) {}
  const char* what() const noexcept override { return "fault in a document"; }
  Fault fault;
};

[[noreturn]] void RefuseDocument(Position at, std::string found, std::string expected,
                                 std::string hint = {});

// "resources.devices", "after[2]". Control characters in keys are removed and long keys shortened.
std::string MemberPath(std::string_view parent, std::string_view key);
std::string ItemPath(std::string_view parent, size_t index);

// Builds a tree from parser events and enforces all limits: depth, number and size of values,
// duplicate keys, aliases. Throws DocumentError, but collects duplicate keys.
class DocumentBuilder {
 public:
  using Anchor = size_t;  // 0 for none

  explicit DocumentBuilder(Marks* marks) : marks_(marks) {}

  void Scalar(json::value value, Position at, Anchor anchor = 0);
  void BeginList(Position at, Anchor anchor = 0);
  void BeginMap(Position at, Anchor anchor = 0);
  void Key(std::string_view key, Position at);
  void End();  // ends the innermost list or map
  void Alias(Anchor anchor, Position at);

  // True inside a map if the next event must be a key.
  bool WantsKey() const;
  bool HasRoot() const { return root_.has_value(); }

  json::value TakeRoot() { return std::move(*root_); }
  std::vector<Fault> TakeFaults() { return std::move(faults_); }

 private:
  // The size of a subtree, so that an alias to it can be refused before it is copied.
  struct Cost {
    int values = 0;
    int depth = 0;
    size_t bytes = 0;
  };
  struct Frame {
    json::value container;
    std::string path;
    Anchor anchor = 0;
    Cost cost;
    std::string key;
    bool has_key = false;
    Position key_at;
    std::map<std::string, Position, std::less<>> seen;
  };
  struct Anchored {
    json::value value;
    Cost cost;
  };

  std::string ChildPath() const;
  void Mark(const std::string& path, Position at);
  void Charge(int values, size_t bytes, Position at);
  void Begin(json::value container, Position at, Anchor anchor);
  void Add(json::value value, const Cost& cost);

  Marks* marks_;
  std::vector<Frame> frames_;
  std::map<Anchor, Anchored> anchors_;
  std::optional<json::value> root_;
  std::vector<Fault> faults_;
  int values_ = 0;
  size_t bytes_ = 0;
};

void ReadYamlText(std::string_view text, DocumentBuilder& builder);
void ReadJsonText(std::string_view text, DocumentBuilder& builder);

// The position of a byte of the text.
Position PositionOf(std::string_view text, size_t offset);

}  // namespace muster
