// How a shell script starts its programs and how it ends.
#include <array>

#include <fmt/format.h>

#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr std::array<std::string_view, 8> kTrainers{
    "python", "python3", "mpirun", "mpiexec", "msrun", "horovodrun", "torchrun", "deepspeed"};
constexpr std::array<std::string_view, 6> kInstallers{"pip", "pip3",    "conda",
                                                      "apt", "apt-get", "yum"};

bool Trains(const ShellCommand& command) {
  const std::string_view program = command.Program();
  return IsOneOf(program, kTrainers) || program.starts_with("python3.");
}

bool Mentions(const Reading& reading, std::string_view word) {
  return reading.script.text.contains(word);
}

void CheckInterpreter(const ShellCommand& command, Findings& findings) {
  // A wrapper script gets the command as its arguments, so any word may be the interpreter.
  for (size_t at = 0; at + 1 < command.words.size(); ++at) {
    std::string_view program = command.words[at];
    program = program.substr(program.rfind('/') + 1);
    const std::string_view script = command.words[at + 1];
    const bool python = program == "python" || program == "python3";
    const bool shell = program == "bash" || program == "sh";
    if ((python && script.ends_with(".sh")) || (shell && script.ends_with(".py")))
      findings.push_back(Found(Fault::kWrongInterpreter, command.line, command.Text(),
                               fmt::format("{} is given to {}", script, program)));
  }
}

void CheckProgram(const ShellCommand& command, Findings& findings) {
  const std::string_view program = command.Program();
  const bool sleeps = program == "sleep" && command.Has("infinity");
  const bool tails = program == "tail" && command.Has("/dev/null") && command.end != "&";
  if (sleeps || tails) findings.push_back(Found(Fault::kNeverEnds, command.line, command.Text()));
  if (command.Has("sudo") && !command.Has("-n"))
    findings.push_back(Found(Fault::kNeedsPassword, command.line, command.Text()));
  const bool by_python = command.Has("-m") && command.Has("pip");
  if ((IsOneOf(program, kInstallers) || by_python) && command.Has("install"))
    findings.push_back(Found(Fault::kInstalls, command.line, command.Text()));
}

// What was started with '&': waited for one by one, all at once (which forgets their codes), or
// not at all.
void CheckBackground(const Reading& reading, Findings& findings) {
  const ShellCommand* started = nullptr;
  const ShellCommand* waits = nullptr;
  for (const ShellCommand& command : reading.commands) {
    if (command.end == "&" && Trains(command)) {
      if (started == nullptr) started = &command;
      waits = nullptr;
    }
    if (command.Program() == "wait") waits = &command;
  }
  if (started == nullptr) return;
  if (waits == nullptr) {
    findings.push_back(Found(Fault::kLeftBehind, started->line, started->Text()));
  } else if (waits->ProgramAt() + 1 == waits->words.size()) {
    findings.push_back(Found(Fault::kLostExitCode, waits->line, waits->Text(),
                             "wait without a process gives 0 whatever they gave"));
  }
}

void CheckPipes(const Reading& reading, Findings& findings) {
  if (Mentions(reading, "pipefail") || Mentions(reading, "PIPESTATUS")) return;
  for (const ShellCommand& command : reading.commands)
    if (command.end == "|" && Trains(command))
      findings.push_back(Found(Fault::kLostExitCode, command.line, command.Text(),
                               "a pipe gives the code of its last program"));
}

bool IsBashOnly(const ShellCommand& command) {
  for (const std::string& word : command.words)
    if (word == "[[" || word.starts_with("((") || word == "source" || word.contains("$["))
      return true;
  return false;
}

void CheckDialect(const Reading& reading, Findings& findings) {
  const std::string_view text = reading.script.text;
  if (!text.starts_with("#!")) return;
  const std::string_view first = text.substr(0, text.find('\n'));
  if (!first.ends_with("/sh") && !first.ends_with(" sh")) return;
  for (const ShellCommand& command : reading.commands)
    if (IsBashOnly(command)) {
      findings.push_back(Found(Fault::kBashOnly, command.line, command.Text()));
      return;
    }
}

}  // namespace

void CheckEndings(const Reading& reading, Findings& findings) {
  for (const ShellCommand& command : reading.commands) {
    CheckInterpreter(command, findings);
    CheckProgram(command, findings);
  }
  CheckBackground(reading, findings);
  CheckPipes(reading, findings);
  CheckDialect(reading, findings);
}

}  // namespace muster::checkup
