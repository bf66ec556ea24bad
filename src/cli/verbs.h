#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/flags.h"

namespace muster::cli {

struct Example {
  const char* command;
  const char* what;
};

// A row of the table of verbs; the file of each verb defines its row.
struct Verb {
  const char* name;
  std::vector<const char*> aliases;
  const char* summary;     // one line
  const char* words = "";  // positional arguments in the usage line: "ID…"
  int least_words = 0;
  int most_words = 0;                         // -1 for any number
  Completes completes = Completes::kNothing;  // how the words are completed
  std::vector<Flag> flags;                    // in addition to the common ones
  std::vector<Example> examples;
  Result<int> (*run)(Context& context, const Args& args) = nullptr;  // the exit code
  bool takes_command = false;                                        // accepts words after "--"
};

// In help order.
const std::vector<Verb>& Verbs();

// By name or alias; null if unknown.
const Verb* FindVerb(std::string_view name);

// --server, --data, --no-start, --json and --help, which every verb accepts.
std::span<const Flag> CommonFlags();
// The flags of a verb, then the common ones.
std::vector<Flag> AllFlags(const Verb& verb);

Verb RunVerb();
Verb PsVerb();
Verb LogsVerb();
Verb DescribeVerb();
Verb WhyVerb();
Verb WaitVerb();
Verb StopVerb();
Verb RerunVerb();
Verb UpdateVerb();
Verb HoldVerb();
Verb ReleaseVerb();
Verb PlanVerb();
Verb NodesVerb();
Verb OpenVerb();
Verb EventsVerb();
Verb RmVerb();
Verb CpVerb();
Verb SyncVerb();
Verb UploadVerb();
Verb ObjectsVerb();
Verb DoctorVerb();
Verb CompletionVerb();
Verb RanktableVerb();
Verb SchemaVerb();
Verb ServerVerb();
Verb VersionVerb();
Verb HelpVerb();

}  // namespace muster::cli
