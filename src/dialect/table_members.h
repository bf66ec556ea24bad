#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// Typed access to members of rank table objects. An invalid member is reported as a fault and reads
// as nothing. HCCL accepts strings only, also for numbers.
class TableMembers {
 public:
  explicit TableMembers(std::vector<TableFault>& faults) : faults_(faults) {}

  void Fault(std::string path, std::string text);
  void Warn(std::string path, std::string text);

  const json::object* Object(const json::value& value, const std::string& path);
  // A non-empty list.
  const json::array* List(const json::object& from, const std::string& path, std::string_view key);
  std::optional<std::string> Text(const json::object& from, const std::string& path,
                                  std::string_view key);
  // As Text, but an empty text if the key is missing.
  std::optional<std::string> TextIfThere(const json::object& from, const std::string& path,
                                         std::string_view key);
  std::optional<int> Number(const json::object& from, const std::string& path, std::string_view key,
                            int low, int high);
  // Checks a number that repeats the length of a list.
  void Count(const json::object& from, const std::string& path, std::string_view key, size_t length,
             std::string_view of, bool needed = true);
  // All other keys: those of the form are kept, others get a warning.
  Pairs More(const json::object& from, const std::string& path,
             std::span<const std::string_view> read, std::span<const std::string_view> known);

 private:
  std::vector<TableFault>& faults_;
};

std::string Below(const std::string& path, std::string_view key);
std::string Below(const std::string& path, std::string_view key, size_t index);

// Checks the rules for a completely parsed table; appends faults.
void CheckTableRules(const RankTable& table, const TableUse& use, std::vector<TableFault>& faults);

}  // namespace muster::dialect
