#include "launcher/pre_start.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::launcher {
namespace {

constexpr std::array<std::string_view, 4> kOfTheShell{"_", "SHLVL", "PWD", "OLDPWD"};

bool IsPlainName(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool IsTheJobs(std::string_view name) {
  return IsPlainName(name) && !name.starts_with("MUSTER_") &&
         std::ranges::find(kOfTheShell, name) == kOfTheShell.end();
}

}  // namespace

std::string PreStartFile(const NodeOrder& order) { return order.dir + "/pre_start.env"; }

std::vector<std::string> PreStartWords(const NodeOrder& order) {
  const std::string leave = fmt::format(
      "muster_leave() {{ local code=$?; env -0 > {}; exit $code; }}\n"
      "trap muster_leave EXIT\n",
      ShellQuote(PreStartFile(order)));
  std::vector<std::string> words{"/bin/bash", "-c", leave + order.pre_start->text,
                                 order.pre_start->name};
  words.insert(words.end(), order.pre_start->words.begin(), order.pre_start->words.end());
  return words;
}

Pairs Exported(const std::vector<std::string>& before, std::string_view dump) {
  const std::set<std::string_view> known(before.begin(), before.end());
  Pairs exported;
  while (!dump.empty()) {
    const size_t end = dump.find('\0');
    const std::string_view entry = dump.substr(0, end);
    dump.remove_prefix(end == std::string_view::npos ? dump.size() : end + 1);
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos || known.contains(entry)) continue;
    if (IsTheJobs(entry.substr(0, equals)))
      exported.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return exported;
}

}  // namespace muster::launcher
