// Parsers for files on disk and in the journal: arbitrary bytes are read or rejected, and a parsed
// value round-trips.
#include <fmt/format.h>

#include "base/crc32c.h"
#include "base/testing/fuzz.h"
#include "model/job.h"
#include "model/order.h"
#include "model/record.h"

namespace {

using namespace muster;

void CheckRecord(std::string_view text) {
  const auto part = DecodeRecord(text);
  if (!part) return;
  Require(part->used <= text.size());
  Require(part->used == 0 || text[part->used - 1] == '\n');
  std::string again;
  for (const RecordLine& line : part->lines) {
    Require(line.end <= part->used);
    again += EncodeRecordLine(line);
  }
  const auto reread = DecodeRecord(again);
  Require(reread && reread->lines.size() == part->lines.size() && reread->used == again.size());
  for (size_t i = 0; i < part->lines.size(); ++i)
    Require(EncodeRecordLine(reread->lines[i]) == EncodeRecordLine(part->lines[i]));
}

void CheckControl(std::string_view text) {
  const auto part = DecodeControl(text);
  if (!part) return;
  Require(part->used <= text.size());
  std::string again;
  for (const ControlLine& line : part->lines) again += EncodeControlLine(line);
  const auto reread = DecodeControl(again);
  Require(reread && reread->lines.size() == part->lines.size());
}

// A line with the input as JSON and a correct checksum, as a faulty writer would produce.
void CheckSealed(std::string_view text) {
  if (text.find('\n') != std::string_view::npos) return;
  const std::string line = fmt::format("{:08x} {}\n", Crc32c(text), text);
  CheckRecord(line);
  CheckControl(line);
}

template <typename Read, typename Write>
void CheckJson(std::string_view text, Read read, Write write) {
  const auto value = ParseJson(text);
  if (!value || !value->is_object()) return;
  const auto once = write(read(value->get_object()));
  Require(ToJson(write(read(once))) == ToJson(once));
}

void CheckOrder(std::string_view text) {
  const auto value = ParseJson(text);
  if (!value) return;
  const auto order = NodeOrderFromJson(*value);
  if (!order) return;
  const auto again = NodeOrderFromJson(ToJsonObject(*order));
  Require(again && ToJson(ToJsonObject(*again)) == ToJson(ToJsonObject(*order)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 7);
  switch (which) {
    case 0:
      CheckRecord(text);
      break;
    case 1:
      CheckControl(text);
      break;
    case 2:
      CheckSealed(text);
      break;
    case 3:
      CheckJson(
          text, [](const json::object& o) { return ExitReportFromJson(o); },
          [](const ExitReport& r) {
            Require(!Describe(r).empty());
            Require(ShellExitCode(r) >= 0 && ShellExitCode(r) <= 255);
            return ToJsonObject(r);
          });
      break;
    case 4:
      CheckJson(
          text, [](const json::object& o) { return AttemptFromJson(o); },
          [](const Attempt& a) { return ToJsonObject(a); });
      break;
    case 5:
      CheckJson(
          text, [](const json::object& o) { return AllocationFromJson(o); },
          [](const Allocation& a) { return ToJsonObject(a); });
      break;
    case 6:
      CheckOrder(text);
      break;
  }
  return 0;
}
