#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::checkup {

// One simple command of a shell script.
struct ShellCommand {
  int line = 0;                    // where it begins, from 1
  std::vector<std::string> words;  // quotes taken away, expansions as they are written
  std::string end;                 // the operator behind it: "" (line end), "&", "|", "&&", ";" …

  // Where the program's name is: behind keywords, assignments and wrappers such as sudo or env;
  // words.size() when there is none.
  size_t ProgramAt() const;
  // Its name without the folder; empty when there is none.
  std::string_view Program() const;
  bool Has(std::string_view word) const;
  std::string Text() const;  // the first of the words with blanks between, for a person
};

// Reads what a person would see in the script, not what a shell would do: any bytes give commands,
// never an error. Comments and here-documents are left out, continued lines are joined, and what is
// inside of bash -c '…' follows the command that holds it.
std::vector<ShellCommand> ReadShell(std::string_view text);

}  // namespace muster::checkup
