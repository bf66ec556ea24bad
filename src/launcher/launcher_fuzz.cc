// Parsers of the launcher for data that others wrote: training logs, agent requests, and the files
// about staging and publication.
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/testing/fuzz.h"
#include "launcher/agent_wire.h"
#include "launcher/series.h"
#include "metrics/progress.h"
#include "model/publication.h"
#include "model/staging.h"
#include "os/fd.h"

namespace {

using namespace muster;

// Every value round-trips through JSON and has a text form.
void CheckLine(std::string_view text) {
  metrics::Progress progress;
  progress.Take(text);
  metrics::ProgressText(progress.measured());
  const auto json = metrics::MeasuredToJson(progress.measured());
  Require(metrics::MeasuredFromJson(json).values.size() == progress.values().size());
}

// Reads a growing log in two parts; the series line is always one JSON object.
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

// An accepted document is complete and round-trips.
template <typename Read>
void CheckDocument(std::string_view text, const Read& read) {
  const auto document = ParseJson(text);
  if (!document) return;
  const auto order = read(*document);
  if (!order) return;
  Require(!order->data_dir.empty());
  const json::value written = ToJsonObject(*order);
  const auto again = read(written);
  Require(again && json::value(ToJsonObject(*again)) == written);
}

void CheckPublication(std::string_view text) {
  CheckDocument(text, [](const json::value& value) {
    auto order = PublicationFromJson(value);
    if (!order) return order;
    Require(!order->record_dir.empty());
    for (const OutputOrder& output : order->outputs)
      Require(!output.folder.empty() && !output.to.empty());
    for (const LogOrder& log : order->logs) Require(!log.path.empty() && !log.name.empty());
    Require(order->logs.empty() || !order->logs_to.empty());
    return order;
  });
}

void CheckStaging(std::string_view text) {
  CheckDocument(text, [](const json::value& value) {
    auto order = StagingFromJson(value);
    if (!order) return order;
    Require(!order->token.empty() && !order->attempt_dir.empty());
    for (const InputOrder& input : order->inputs) Require(!input.folder.empty());
    for (const Destination& place : order->destinations) Require(!place.url.empty());
    return order;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 5);
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
    case 3:
      CheckPublication(text);
      break;
    case 4:
      CheckStaging(text);
      break;
  }
  return 0;
}
