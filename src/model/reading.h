#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/spec_reader.h"
#include "model/variables.h"

namespace muster {

// State shared by all readers of one document: faults and variables.
class Reading {
 public:
  explicit Reading(const Marks& marks);

  // Looks up the position of the path; a path without a mark uses the mark of its nearest parent.
  // Identical faults are merged.
  void AddFault(std::string_view path, std::string found, std::string expected,
                std::string hint = {});
  bool HasFaults() const { return !faults_.empty(); }
  std::vector<Fault> TakeFaults();  // in file order

  // `did you mean "x"?`, or empty. Limited to the first few faults, because the search is slow.
  std::string Suggest(std::string_view word, std::span<const std::string_view> candidates);

  Variables& variables() { return variables_; }

 private:
  std::pair<int, int> Find(std::string_view path) const;

  std::unordered_map<std::string_view, std::pair<int, int>> marks_;
  std::vector<Fault> faults_;
  std::set<std::string> said_;
  int suggestions_ = 0;
  Variables variables_;
};

// A value of the document and its position. Cheap to create; must not be stored.
struct Cursor {
  Reading& reading;
  const json::value& value;
  std::string path;
  const BuiltIns& built_ins;

  Cursor At(const json::value& member, std::string_view key) const;
  Cursor Item(const json::value& item, size_t index) const;
  Cursor With(const BuiltIns& others) const { return {reading, value, path, others}; }

  void Fault(std::string expected, std::string hint = {}) const;

  // The text of a scalar with its variables replaced; reports a fault for any other value.
  std::optional<std::string> Text(std::string_view expected,
                                  UnknownName unknown = UnknownName::kFault) const;
};

}  // namespace muster
