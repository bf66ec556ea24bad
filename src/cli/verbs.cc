#include "cli/verbs.h"

namespace muster::cli {

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> kVerbs = {
      RunVerb(),        PsVerb(),      LogsVerb(),   DescribeVerb(), WhyVerb(),       WaitVerb(),
      StopVerb(),       RerunVerb(),   UpdateVerb(), HoldVerb(),     ReleaseVerb(),   PlanVerb(),
      OpenVerb(),       NodesVerb(),   EventsVerb(), RmVerb(),       CpVerb(),        SyncVerb(),
      UploadVerb(),     ObjectsVerb(), DoctorVerb(), ServerVerb(),   RanktableVerb(), SchemaVerb(),
      CompletionVerb(), VersionVerb(), HelpVerb()};
  return kVerbs;
}

const Verb* FindVerb(std::string_view name) {
  for (const Verb& verb : Verbs()) {
    if (name == verb.name) return &verb;
    for (const char* alias : verb.aliases)
      if (name == alias) return &verb;
  }
  return nullptr;
}

std::span<const Flag> CommonFlags() {
  static constexpr Flag kCommon[] = {
      {"server", 0, "URL", "the server to talk to (else $MUSTER_SERVER, with $MUSTER_TOKEN)"},
      {"data", 0, "DIR", "the data folder whose server to use (else $MUSTER_DATA)", false,
       Completes::kFolder},
      {"no-start", 0, nullptr, "fail instead of starting a server when none runs"},
      {"json", 0, nullptr, "print JSON for programs"},
      {"help", 'h', nullptr, "print this help"},
  };
  return kCommon;
}

std::vector<Flag> AllFlags(const Verb& verb) {
  std::vector<Flag> flags = verb.flags;
  const auto common = CommonFlags();
  for (const Flag& flag : common) {
    // A verb may redefine a common flag, as `server --data` does.
    const bool taken = std::ranges::any_of(
        flags, [&](const Flag& own) { return std::string_view(own.name) == flag.name; });
    if (!taken) flags.push_back(flag);
  }
  return flags;
}

}  // namespace muster::cli
