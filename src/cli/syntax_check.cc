#include "cli/syntax_check.h"

#include <string_view>

#include "base/text.h"
#include "cli/run_program.h"
#include "os/file.h"

namespace muster::cli {
namespace {

// Prints "LINE VERSION: MESSAGE" for a script that this Python rejects.
constexpr const char* kPythonCheck = R"(
import sys
try:
    compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec', dont_inherit=True)
except (SyntaxError, ValueError) as error:
    print(getattr(error, 'lineno', 0) or 0, 'Python %d.%d:' % sys.version_info[:2], getattr(error, 'msg', error))
)";

std::optional<checkup::SyntaxError> CheckPython(const std::string& file) {
  const ProgramOutput output =
      RunProgram({"python3", "-I", "-S", "-W", "ignore", "-c", kPythonCheck, file});
  if (!Succeeded(output) || output.text.empty()) return std::nullopt;
  const std::string_view text = output.text;
  const size_t space = text.find(' ');
  const auto line = ParseInt(text.substr(0, space));
  if (!line || space == std::string_view::npos) return std::nullopt;
  return checkup::SyntaxError{int(*line), std::string(text.substr(space + 1))};
}

// bash prints "FILE: line 3: syntax error near unexpected token `done'".
std::optional<checkup::SyntaxError> CheckShell(const std::string& file) {
  const ProgramOutput output = RunProgram({"bash", "-n", "--", file});
  if (output.status < 0 || Succeeded(output)) return std::nullopt;
  const std::string_view text = output.text;
  constexpr std::string_view kLine = ": line ";
  const size_t at = text.find(kLine, file.size());
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + kLine.size());
  const size_t colon = rest.find(": ");
  const auto line = ParseInt(rest.substr(0, colon));
  if (!line || colon == std::string_view::npos) return std::nullopt;
  const std::string_view message = rest.substr(colon + 2);
  return checkup::SyntaxError{int(*line), "bash: " + std::string(message.substr(0, 200))};
}

}  // namespace

std::optional<checkup::SyntaxError> CheckSyntax(checkup::Language language,
                                                const std::string& file) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(file, error).string();
  if (error) return std::nullopt;
  return language == checkup::Language::kPython ? CheckPython(path) : CheckShell(path);
}

}  // namespace muster::cli
