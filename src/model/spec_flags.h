#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"
#include "model/spec_reader.h"

namespace muster {

// The values of command-line flags as typed. They are not checked here, so that flags and files get
// the same faults from ReadSpecs.
struct FlagValues {
  std::optional<json::object> base;  // the document of a job file; flags have precedence
  std::optional<std::string> name, framework, platform, code, python, workdir;
  std::optional<std::string> nodes, devices, ranks, memory;
  std::optional<std::string> priority, retries, on_retry, time, grace;
  std::optional<bool> preemptible;
  bool overwrite = false;            // for all outputs that are published
  std::vector<std::string> after;    // "17", "17:ended"; replaces that of the file
  std::vector<std::string> command;  // one word is a text as in `run: …`, several are a list
  Pairs env, parameters, inputs, outputs, labels,
      launch;   // added to those of the file, or replacing them
  Pairs sweep;  // name to "0.1,0.2"
};

// The document that corresponds to the flags over the base. Removes the positions of replaced
// values from `marks` (may be null).
json::object DocumentFromFlags(const FlagValues& flags, Marks* marks = nullptr);

// "K=V" as {K, V}; kInvalid with the flag's name if '=' or the name is missing.
Result<std::pair<std::string, std::string>> SplitPair(std::string_view text, std::string_view flag);

}  // namespace muster
