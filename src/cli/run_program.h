#pragma once

#include <string>
#include <vector>

namespace muster::cli {

struct ProgramOutput {
  int status = -1;   // from waitpid; -1 if the program did not start or exceeded the time limit
  std::string text;  // the first 4 KiB of standard output and standard error, printable
};

// Runs a short program with the environment of this process, for at most 20 s. The process group of
// a program that exceeds the limit is killed.
ProgramOutput RunProgram(std::vector<std::string> argv);

// Whether the program exited with code 0.
bool Succeeded(const ProgramOutput& output);

}  // namespace muster::cli
