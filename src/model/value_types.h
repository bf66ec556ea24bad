#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// The value types of job-file fields. Each has a reader (which reports a fault for invalid values)
// and a JSON Schema, so that both stay consistent.

// Words of certain characters: first "A-Za-z0-9", then up to `longest` - 1 of `rest`.
struct WordRule {
  std::string_view first;
  std::string_view rest;
  size_t longest;
  std::string_view expected;  // as text

  bool Fits(std::string_view word) const;
  std::string Pattern() const;  // ECMA-262, anchored
};

extern const WordRule kNameRule;       // jobs, roles, labels
extern const WordRule kParameterRule;  // parameters, inputs, outputs, sweep names
extern const WordRule kEnvRule;
extern const WordRule kKindRule;  // device kinds

struct WholeNumber {
  int64_t min;
  int64_t max;
  std::optional<int64_t> Read(const Cursor& at) const;
  json::object Schema() const;
};

struct YesOrNo {
  std::optional<bool> Read(const Cursor& at) const;
  json::object Schema() const;
};

struct Word {
  const WordRule& rule;
  std::optional<std::string> Read(const Cursor& at) const;
  json::object Schema() const;
};

// Any non-empty text.
struct FreeText {
  std::string_view expected;
  UnknownName unknown = UnknownName::kFault;
  std::optional<std::string> Read(const Cursor& at) const;
  json::object Schema() const;
};

struct Choice {
  std::span<const std::string_view> options;
  std::optional<std::string> Read(const Cursor& at) const;
  json::object Schema() const;
};

// A duration in milliseconds; plain numbers are seconds.
struct Duration {
  int64_t min_ms = 0;
  int64_t max_ms = 0;
  std::optional<int64_t> Read(const Cursor& at) const;
  json::object Schema() const;
};

struct ByteCount {
  std::optional<int64_t> Read(const Cursor& at) const;
  json::object Schema() const;
};

struct Signal {
  std::optional<std::string> Read(const Cursor& at) const;  // "USR1"; "none" yields an empty text
  json::object Schema() const;
};

// "npu:8" or {kind: npu, count: 8}.
struct Devices {
  std::optional<DeviceRequest> Read(const Cursor& at) const;
  json::object Schema() const;
};

// A text or a list of words.
struct CommandLine {
  std::optional<Command> Read(const Cursor& at) const;
  json::object Schema() const;
};

// An id, a list of ids, or maps {job, when}.
struct AfterJobs {
  std::optional<std::vector<AfterJob>> Read(const Cursor& at) const;
  json::object Schema() const;
};

// Permitted types of a value besides scalars.
enum class EntryValue { kScalar, kScalarOrList };

// Whether a key of a map satisfies its rule; reports a fault otherwise.
bool CheckKey(const Cursor& at, std::string_view key, const WordRule& rule);

// A map from words to texts, in file order.
struct Entries {
  const WordRule& key;
  EntryValue value;
  UnknownName unknown = UnknownName::kFault;
  std::optional<Pairs> Read(const Cursor& at) const;
  json::object Schema() const;
};

// The schema, or a text with a variable.
json::object OrVariable(json::object schema);

}  // namespace muster
