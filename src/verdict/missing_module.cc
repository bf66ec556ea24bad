#include "verdict/missing_module.h"

#include <fmt/format.h>

#include "base/text.h"

namespace muster::verdict {

std::string MissingModule(const std::vector<std::string>& evidence) {
  constexpr std::string_view kPhrase = "No module named ";
  for (auto line = evidence.rbegin(); line != evidence.rend(); ++line) {
    const size_t at = line->find(kPhrase);
    if (at == std::string::npos) continue;
    std::string_view name = std::string_view(*line).substr(at + kPhrase.size());
    if (name.starts_with('\'')) name.remove_prefix(1);
    return std::string(name.substr(0, name.find_first_of("'; ")));
  }
  return {};
}

std::string ModuleAdvice(const ModuleSearch& search, const std::string& python) {
  const std::string& module = search.module;
  if (!search.found.empty()) {
    // "lib/utils.py" and "lib/utils/__init__.py" both need "lib" on the search path.
    std::string folder = search.found.substr(0, search.found.rfind(module));
    while (folder.ends_with('/')) folder.pop_back();
    return fmt::format(
        "The module {} is in the job's own code ({}), but not on Python's search path: set "
        "PYTHONPATH to {} in the job's `env`, or start the script as a module with `python -m`.",
        module, search.found, folder.empty() ? "\".\"" : ShellQuote(folder));
  }
  const std::string install = fmt::format(
      "otherwise install it for the interpreter of the job ({}), or name another interpreter with "
      "`python:`.",
      python);
  if (!search.has_code) {
    return fmt::format(
        "The job was sent without code: if {} is a module of your own, send its folder with "
        "`code:` "
        "or --code; {}",
        module, install);
  }
  return fmt::format(
      "The code that was sent has no module {}: if it is a module of your own, check .gitignore "
      "and "
      ".musterignore, or send the folder around it with `code:` or --code; {}",
      module, install);
}

}  // namespace muster::verdict
