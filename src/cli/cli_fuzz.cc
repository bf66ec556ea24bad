// Parsers of the verbs: command lines, ignore files, job flags, addresses, the endpoint file, and
// server events.
#include <sys/stat.h>

#include "base/clock.h"
#include "base/testing/fuzz.h"
#include "base/text.h"
#include "cli/endpoint.h"
#include "cli/flags.h"
#include "cli/ignore.h"
#include "cli/log_view.h"
#include "cli/testing/capture_screen.h"
#include "cli/verbs.h"
#include "model/spec_flags.h"
#include "model/spec_reader.h"
#include "os/temp_dir.h"

namespace {

using namespace muster;
using namespace muster::cli;

void CheckCommandLine(std::string_view text) {
  std::vector<std::string> words = Split(text, '\n');
  const Verb* verb = FindVerb(words.front());
  if (verb == nullptr) return;
  words.erase(words.begin());
  const auto args = ParseFlags(AllFlags(*verb), words);
  if (!args) Require(!args.error().text.empty());
}

// Lines of "key=value", each stored where the flag of that name would store it.
void CheckJobFlags(std::string_view text) {
  FlagValues flags;
  for (const std::string& line : Split(text, '\n')) {
    const auto pair = SplitPair(line, "-e");
    if (!pair) continue;
    const auto& [key, value] = *pair;
    if (key == "name") flags.name = value;
    if (key == "nodes") flags.nodes = value;
    if (key == "devices") flags.devices = value;
    if (key == "ranks") flags.ranks = value;
    if (key == "memory") flags.memory = value;
    if (key == "time") flags.time = value;
    if (key == "grace") flags.grace = value;
    if (key == "priority") flags.priority = value;
    if (key == "retries") flags.retries = value;
    if (key == "framework") flags.framework = value;
    if (key == "after") flags.after.push_back(value);
    if (key == "run") flags.command.push_back(value);
    if (key == "sweep") flags.sweep.emplace_back("x", value);
    if (key == "env") flags.env.emplace_back(value, value);
    if (key == "parameter") flags.parameters.emplace_back(value, value);
  }
  const auto specs = ReadSpecs(DocumentFromFlags(flags), {});
  if (!specs) Require(!specs.error().empty());
}

// The first line is the path to match.
void CheckIgnore(std::string_view text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const auto rules = IgnoreRules::Parse(text.substr(std::min(end + 1, text.size())));
  for (const bool is_folder : {false, true}) {
    const auto answer = rules.Match(text.substr(0, end), is_folder);
    Require(!rules.empty() || answer == IgnoreRules::Answer::kNone);
  }
}

void CheckAddress(std::string_view text) {
  const auto url = NormalUrl(text);
  if (url) Require(url->starts_with("http") && NormalUrl(*url) == *url);
}

void CheckEndpointFile(std::string_view text) {
  static const os::TempDir dir;
  const os::Path file = dir / "endpoint.json";
  Require(os::WriteFileAtomic(file, text, 0600, false).has_value());
  const auto endpoint = ReadEndpoint(dir.path());
  if (endpoint) Require(!endpoint->url.empty() && !endpoint->token.empty());
}

// Lines of "event data". Control sequences from a server must not reach a terminal, except the
// output of ranks.
void CheckEvents(std::string_view text) {
  FakeClock clock;
  CaptureScreen screen;
  screen.BeTerminal(80);
  LogView view(screen, clock,
               {.lines = {.prefixes = true}, .safe = true, .live = true, .title = "job 1"});
  for (const std::string& line : Split(text, '\n')) {
    const size_t blank = std::min(line.find(' '), line.size());
    view.Take({line.substr(0, blank), "1", line.substr(std::min(blank + 1, line.size()))});
    view.Tick();
    if (view.ended()) break;
  }
  view.Clear();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 6);
  switch (which) {
    case 0:
      CheckCommandLine(text);
      break;
    case 1:
      CheckJobFlags(text);
      break;
    case 2:
      CheckIgnore(text);
      break;
    case 3:
      CheckAddress(text);
      break;
    case 4:
      CheckEndpointFile(text);
      break;
    case 5:
      CheckEvents(text);
      break;
  }
  return 0;
}
