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

// What was said on a command line, as it was typed: nothing is judged here, so that flags and files
// get the same faults from ReadSpecs.
struct FlagValues {
  std::optional<json::object> base;  // the document of a job file; flags win over it
  std::optional<std::string> name, framework, platform, code, python, workdir;
  std::optional<std::string> nodes, devices, ranks, memory;
  std::optional<std::string> priority, retries, on_retry, time, grace;
  std::optional<bool> preemptible;
  bool overwrite = false;            // for all outputs that are published
  std::vector<std::string> after;    // "17", "17:ended"; replaces the file's
  std::vector<std::string> command;  // one word is a text as in `run: …`, several are a list
  Pairs env, parameters, inputs, outputs, labels,
      launch;   // added to the file's, or replacing one of them
  Pairs sweep;  // name -> "0.1,0.2"
};

// The document that says the same as the flags over the base. Marks of what flags replaced are
// taken out of `marks` (may be null): the file is not where those values stand.
json::object DocumentFromFlags(const FlagValues& flags, Marks* marks = nullptr);

// "K=V" as {K, V}; kInvalid, naming the flag, without a '=' or a name.
Result<std::pair<std::string, std::string>> SplitPair(std::string_view text, std::string_view flag);

}  // namespace muster
