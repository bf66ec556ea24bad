#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// Members of the objects of a rank table, each read by its kind. What is wrong becomes a fault, and
// the member reads as nothing. HCCL takes texts only, even for numbers.
class TableMembers {
 public:
  explicit TableMembers(std::vector<TableFault>& faults) : faults_(faults) {}

  void Fault(std::string path, std::string text);
  void Warn(std::string path, std::string text);

  const json::object* Object(const json::value& value, const std::string& path);
  // A list that is there and has something in it.
  const json::array* List(const json::object& from, const std::string& path, std::string_view key);
  std::optional<std::string> Text(const json::object& from, const std::string& path,
                                  std::string_view key);
  // The same, or an empty text when the key is not there.
  std::optional<std::string> TextIfThere(const json::object& from, const std::string& path,
                                         std::string_view key);
  std::optional<int> Number(const json::object& from, const std::string& path, std::string_view key,
                            int low, int high);
  // A number that only says again how long a list is.
  void Count(const json::object& from, const std::string& path, std::string_view key, size_t length,
             std::string_view of, bool needed = true);
  // Every other key: those that the form has are taken as they are, the rest gets a warning.
  Pairs More(const json::object& from, const std::string& path,
             std::span<const std::string_view> read, std::span<const std::string_view> known);

 private:
  std::vector<TableFault>& faults_;
};

std::string Below(const std::string& path, std::string_view key);
std::string Below(const std::string& path, std::string_view key, size_t index);

// The rules that hold over a table which could be read; adds to the faults.
void CheckTableRules(const RankTable& table, const TableUse& use, std::vector<TableFault>& faults);

}  // namespace muster::dialect
