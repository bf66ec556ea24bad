#include "cli/grep_pattern.h"

#include <regex.h>

#include <memory>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {

Result<std::function<bool(std::string_view line)>> GrepPattern(const std::string& expression) {
  const std::shared_ptr<regex_t> compiled(new regex_t{}, [](regex_t* pattern) {
    regfree(pattern);
    delete pattern;
  });
  if (const int error = regcomp(compiled.get(), expression.c_str(), REG_EXTENDED | REG_NOSUB);
      error != 0) {
    char text[128];
    regerror(error, compiled.get(), text, sizeof text);
    return Fail(Code::kInvalid,
                fmt::format("--grep: {} in {}", text, ShellQuote(Printable(expression))),
                "give an extended regular expression, as for grep -E");
  }
  return [compiled](std::string_view line) {
    // Without colours: they may stand within a word.
    return regexec(compiled.get(), Printable(line).c_str(), 0, nullptr, 0) == 0;
  };
}

}  // namespace muster::cli
