#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkup/python.h"
#include "checkup/shell.h"

namespace muster::checkup {

// A name that a script gives a value: a variable, a flag of a command, an argument of a call.
struct Setting {
  enum class Kind { kVariable, kFlag, kArgument };
  Kind kind = Kind::kVariable;
  int line = 0;
  std::string name;   // lower case, '-' as '_', no dashes in front: "master_port", "rank_id"
  std::string value;  // as written, without the quotes around it
  std::string said;   // the line's own words around it

  // The value as a number; nothing when it is anything but a literal.
  std::optional<int64_t> Number() const;
};

// NAME=VALUE, --name=value, --name value and -name value of every command.
std::vector<Setting> SettingsOf(const std::vector<ShellCommand>& commands);

// name = value, os.environ["NAME"] = value and the named arguments of calls. Defaults of functions
// and of command lines are none: another value can be given.
std::vector<Setting> SettingsOf(const std::vector<Statement>& statements);

}  // namespace muster::checkup
