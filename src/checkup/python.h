#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::checkup {

// One logical line of a Python script.
struct Statement {
  int line = 0;      // where it begins, from 1
  std::string text;  // without comments, lines within brackets joined
  std::string code;  // the same with blanks in place of what is inside strings: same positions
};

// Reads what a person would see, not what Python would do: any bytes give statements, never an
// error. Statements that are nothing but a string (documentation) are left out.
std::vector<Statement> ReadPython(std::string_view text);

// Where `word` stands as a whole name in the code; npos when it does not.
size_t FindName(std::string_view code, std::string_view word, size_t from = 0);

// What "import a.b" and "from a.b import c" bring in: "a.b", and "a.b.c" for the second.
std::vector<std::string> Imports(const Statement& statement);

}  // namespace muster::checkup
