// Interfaces of frameworks that current versions do not have any more.
#include <array>
#include <set>

#include <fmt/format.h>

#include "checkup/rules.h"

namespace muster::checkup {
namespace {

struct Gone {
  const char* name;   // a module, or what is in one
  const char* since;  // the first version without it
  const char* next;
};

constexpr std::array kModules{
    Gone{"paddle.fluid", "Paddle 2.5",
         "write it with paddle.static and paddle.distributed.fleet, or install Paddle 1.8 with "
         "Python 3.6 to 3.8"},
    Gone{"tensorflow.contrib", "TensorFlow 2.0", "use the package that took its place"},
    Gone{"tensorflow.compat.v1.contrib", "TensorFlow 2.0", "use the package that took its place"},
    Gone{"torch._six", "PyTorch 2.0", "use collections.abc and the plain types"},
};

// Members by the usual short names of their modules.
constexpr std::array kMembers{
    Gone{"tf.Session", "TensorFlow 2.0", "use tf.compat.v1.Session, or write it without sessions"},
    Gone{"tf.placeholder", "TensorFlow 2.0", "use tf.compat.v1.placeholder"},
    Gone{"tf.ConfigProto", "TensorFlow 2.0", "use tf.compat.v1.ConfigProto"},
    Gone{"tf.global_variables_initializer", "TensorFlow 2.0", "use tf.compat.v1"},
    Gone{"tf.app.run", "TensorFlow 2.0", "use tf.compat.v1.app.run or absl"},
    Gone{"tf.contrib", "TensorFlow 2.0", "use the package that took its place"},
    Gone{"np.int", "NumPy 1.24", "use int, or np.int64 where the size matters"},
    Gone{"np.float", "NumPy 1.24", "use float, or np.float64 where the size matters"},
    Gone{"np.object", "NumPy 1.24", "use object"},
};

constexpr std::array<std::string_view, 9> kFrameworks{
    "torch", "paddle", "mindspore", "tensorflow", "horovod", "jax", "numpy", "moxing", "mpi4py"};

bool IsOrIsIn(std::string_view name, std::string_view module) {
  return name.starts_with(module) && (name.size() == module.size() || name[module.size()] == '.');
}

Finding GoneFinding(const Gone& gone, const Statement& statement) {
  Finding finding = Found(Fault::kGoneInterface, statement.line, statement.text);
  finding.reason =
      fmt::format("{} is gone since {}: the script ends at this line", gone.name, gone.since);
  finding.next = gone.next;
  return finding;
}

bool ImportsAs(const Reading& reading, std::string_view alias, std::string_view module) {
  const std::string words = fmt::format("{} as {}", module, alias);
  for (const Statement& statement : reading.statements)
    if (statement.code.starts_with("import ") &&
        FindName(statement.code, words) != std::string_view::npos)
      return true;
  return false;
}

// Short names mean what they usually do only where the import says so.
bool IsMeant(const Reading& reading, std::string_view member) {
  return member.starts_with("tf.") ? ImportsAs(reading, "tf", "tensorflow")
                                   : ImportsAs(reading, "np", "numpy");
}

void CheckImports(const Reading& reading, Findings& findings) {
  std::set<std::string_view> told;  // the first import ends the script
  for (const Statement& statement : reading.statements)
    for (const std::string& import : Imports(statement))
      for (const Gone& gone : kModules)
        if (IsOrIsIn(import, gone.name) && told.insert(gone.name).second)
          findings.push_back(GoneFinding(gone, statement));
}

void CheckMembers(const Reading& reading, Findings& findings) {
  for (const Gone& gone : kMembers) {
    if (!IsMeant(reading, gone.name)) continue;
    for (const Statement& statement : reading.statements)
      if (FindName(statement.code, gone.name) != std::string_view::npos) {
        findings.push_back(GoneFinding(gone, statement));
        break;
      }
  }
}

void CheckOwnName(const Script& script, Findings& findings) {
  std::string_view name = script.name;
  name = name.substr(name.rfind('/') + 1);
  if (!name.ends_with(".py")) return;
  name.remove_suffix(3);
  if (IsOneOf(name, kFrameworks)) findings.push_back(Found(Fault::kShadowedModule, 0, script.name));
}

}  // namespace

void CheckInterfaces(const Reading& reading, Findings& findings) {
  CheckImports(reading, findings);
  CheckMembers(reading, findings);
  if (reading.script.language == Language::kPython) CheckOwnName(reading.script, findings);
}

}  // namespace muster::checkup
