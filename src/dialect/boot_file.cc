#include "dialect/boot_file.h"

#include <array>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/mpirun.h"

namespace muster::dialect {

namespace {

constexpr std::array<std::string_view, 8> kLaunchers{"torchrun",
                                                     "torch.distributed.run",
                                                     "torch.distributed.launch",
                                                     "msrun",
                                                     "fleetrun",
                                                     "paddle.distributed.launch",
                                                     "horovodrun",
                                                     "deepspeed"};

// The words of a command with the position of the boot file.
struct Booted {
  std::vector<std::string> words;
  size_t file = 0;
};

bool IsPython(std::string_view word) {
  return word.substr(word.rfind('/') + 1).starts_with("python") && !word.ends_with(".py");
}

std::optional<Booted> Take(const Command& run) {
  Booted booted{.words = run.words};
  if (run.words.empty()) {
    if (NeedsShell(run.text)) return std::nullopt;
    auto words = ShellSplit(run.text);
    if (!words || words->empty()) return std::nullopt;
    booted.words = std::move(*words);
  }
  if (booted.words.front().ends_with(".py")) return booted;
  if (!IsPython(booted.words.front())) return std::nullopt;
  for (size_t i = 1; i < booted.words.size(); ++i) {
    const std::string& word = booted.words[i];
    if (word.starts_with('-')) {
      if (word == "-m" || word == "-c" || word == "-") return std::nullopt;
      if (word == "-X" || word == "-W") ++i;
      continue;
    }
    if (!word.ends_with(".py")) return std::nullopt;
    booted.file = i;
    return booted;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> BootFile(const Command& run) {
  const auto booted = Take(run);
  if (!booted) return std::nullopt;
  return booted->words[booted->file];
}

Command WithBootFile(const Command& run, const std::string& python,
                     const std::function<std::string(const std::string&)>& rename) {
  auto booted = Take(run);
  if (!booted) return run;
  std::string& file = booted->words[booted->file];
  file = rename(file);
  if (booted->file == 0) booted->words.insert(booted->words.begin(), python);
  return {.text = {}, .words = std::move(booted->words)};
}

bool CallsLauncher(const JobSpec& spec, const Role& role) {
  const auto argv = BuildCommand(spec, role, Places{});
  return argv && (RunsProgram(*argv, kLaunchers) || CallsMpirun(*argv));
}

}  // namespace muster::dialect
