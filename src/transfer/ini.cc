#include "transfer/ini.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::transfer {
namespace {

// "x" for "[x]" and for "[profile x]".
std::string SectionName(std::string_view line) {
  const size_t end = std::min(line.find(']'), line.size());
  std::string_view name = Trim(line.substr(1, end - 1));
  if (name.starts_with("profile ") || name.starts_with("profile\t")) name = Trim(name.substr(8));
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return std::string(name);
}

}  // namespace

IniSections ReadIni(std::string_view text) {
  IniSections sections;
  std::map<std::string, std::string>* current = nullptr;
  std::string parent;  // the setting that has the following indented lines as its value
  for (const std::string& line : Split(text, '\n')) {
    const std::string_view trimmed = Trim(line);
    if (trimmed.empty() || trimmed.front() == '#' || trimmed.front() == ';') continue;
    const bool indented = line.front() == ' ' || line.front() == '\t';
    if (trimmed.front() == '[' && !indented) {
      current = &sections[SectionName(trimmed)];
      parent.clear();
      continue;
    }
    const size_t equals = trimmed.find('=');
    if (current == nullptr || equals == std::string_view::npos) continue;
    const std::string name = Lower(Trim(trimmed.substr(0, equals)));
    const std::string_view value = Trim(trimmed.substr(equals + 1));
    if (name.empty()) continue;
    if (indented && !parent.empty()) {
      (*current)[fmt::format("{}.{}", parent, name)] = value;
      continue;
    }
    parent = value.empty() ? name : "";
    (*current)[name] = value;
  }
  return sections;
}

}  // namespace muster::transfer
