// What a launcher reads that others wrote: the lines of a training log and the requests of agents.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "base/json.h"
#include "base/testing/fuzz.h"
#include "launcher/agent_wire.h"
#include "launcher/series.h"
#include "metrics/progress.h"
#include "os/fd.h"

namespace {

using namespace muster;

// Only finite numbers, and the text can be made of them.
void CheckLine(std::string_view text) {
  metrics::Progress progress;
  progress.Take(text);
  for (const auto& [name, value] : progress.values()) Require(std::isfinite(value));
  metrics::ProgressText(progress.values());
  const auto json = metrics::ToJsonObject(progress.values());
  Require(metrics::ValuesFromJson(json).size() == progress.values().size());
}

// Read as the log grows, in two parts; the series line is always one JSON object.
void CheckLog(std::string_view text) {
  const os::Fd log(::memfd_create("log", MFD_CLOEXEC));
  launcher::SeriesReader reader(3);
  const size_t half = text.size() / 2;
  for (const std::string_view part : {text.substr(0, half), text.substr(half)}) {
    Require(::write(log.get(), part.data(), part.size()) == ssize_t(part.size()));
    reader.Look(log.get(), ::lseek(log.get(), 0, SEEK_END));
  }
  reader.Close();
  if (const auto line = reader.TakeLine(1)) {
    Require(line->ends_with('\n') && line->find('\n') == line->size() - 1);
    Require(ParseJson(*line).has_value());
  }
}

void CheckAgent(std::string_view text) {
  const auto request = launcher::DecodeAgentPayload(text);
  if (!request) return;
  const std::string frame = launcher::EncodeAgentRequest(*request);
  Require(launcher::AgentPayloadSize(frame.substr(0, launcher::kAgentHeader)) ==
          frame.size() - launcher::kAgentHeader);
  const auto again =
      launcher::DecodeAgentPayload(std::string_view(frame).substr(launcher::kAgentHeader));
  Require(again && again->cwd == request->cwd && again->words == request->words &&
          again->env == request->env);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 3);
  switch (which) {
    case 0:
      CheckLine(text);
      break;
    case 1:
      CheckLog(text);
      break;
    case 2:
      CheckAgent(text);
      break;
  }
  return 0;
}
