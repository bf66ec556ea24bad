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

// What is shared by everything that reads one document: the faults so far and the variables.
class Reading {
 public:
  explicit Reading(const Marks& marks);

  // Where the path stood is looked up; a path without a mark takes that of its nearest parent.
  // The same fault twice is one.
  void AddFault(std::string_view path, std::string found, std::string expected,
                std::string hint = {});
  bool HasFaults() const { return !faults_.empty(); }
  std::vector<Fault> TakeFaults();  // in the order of the file

  // `did you mean "x"?`, or empty. Asking costs time, so only the first few get an answer.
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

// One value of the document and where it stands. Cheap to make, never kept.
struct Cursor {
  Reading& reading;
  const json::value& value;
  std::string path;
  const BuiltIns& built_ins;

  Cursor At(const json::value& member, std::string_view key) const;
  Cursor Item(const json::value& item, size_t index) const;
  Cursor With(const BuiltIns& others) const { return {reading, value, path, others}; }

  void Fault(std::string expected, std::string hint = {}) const;

  // The text of a scalar with its variables replaced; a fault and nothing for anything else.
  std::optional<std::string> Text(std::string_view expected,
                                  UnknownName unknown = UnknownName::kFault) const;
};

}  // namespace muster
