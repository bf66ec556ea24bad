#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "model/spec_reader.h"

namespace muster {
namespace {

constexpr size_t kMostLines = 100;

std::string Where(const Fault& fault, std::string_view file) {
  std::string where = Printable(file);
  if (fault.line > 0) {
    where += where.empty() ? "line " : ":";
    where += fmt::format("{}:{}", fault.line, fault.column);
  }
  if (!where.empty()) where += ": ";
  if (!fault.path.empty()) where += fault.path + ": ";
  return where;
}

std::string Line(const Fault& fault, std::string_view file) {
  std::string line = Where(fault, file) + "found " + fault.found;
  if (!fault.expected.empty()) line += ", expected " + fault.expected;
  if (!fault.hint.empty()) line += " (" + fault.hint + ")";
  return line + "\n";
}

}  // namespace

std::string FaultText(const std::vector<Fault>& faults, std::string_view file) {
  std::string text;
  for (const Fault& fault : faults | std::views::take(kMostLines)) text += Line(fault, file);
  if (faults.size() > kMostLines) {
    text += fmt::format("and {} more faults\n", faults.size() - kMostLines);
  }
  return text;
}

json::array FaultsToJson(const std::vector<Fault>& faults) {
  json::array array;
  for (const Fault& fault : faults) {
    array.push_back(json::object{{"path", fault.path},
                                 {"line", fault.line},
                                 {"column", fault.column},
                                 {"found", fault.found},
                                 {"expected", fault.expected},
                                 {"hint", fault.hint}});
  }
  return array;
}

}  // namespace muster
