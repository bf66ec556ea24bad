#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace muster::checkup {

// What can be wrong with a script before it runs. docs/formats/doctor.md has a row for each.
enum class Fault {
  kDuplicateRanks,
  kDuplicateShards,
  kFixedAddress,
  kFixedPort,
  kFixedInterface,
  kFixedDeviceCount,
  kFixedWorldSize,
  kFixedDevice,
  kDroppedFlags,
  kLocalRankArgument,
  kGoneInterface,
  kShadowedModule,
  kMissingDataUrl,
  kMissingPath,
  kMissingScript,
  kWrongInterpreter,
  kBashOnly,
  kLostExitCode,
  kLeftBehind,
  kNeverEnds,
  kNeedsPassword,
  kInstalls,
};

enum class Grade {
  kWarn,  // right on one machine or with luck
  kFail,  // cannot be right as it stands
};

const char* Name(Grade grade);  // "warn", "fail"

// One row of the table of faults: what is true of every finding of it.
struct FaultRow {
  Fault fault;
  const char* code;    // "duplicate-ranks", for good
  Grade grade;         // unless the finding says otherwise
  const char* reason;  // why it costs a night
  const char* next;    // what to do
};
std::span<const FaultRow> FaultRows();
const FaultRow& RowOf(Fault fault);

struct Finding {
  Fault fault;
  Grade grade;
  int line = 0;        // from 1; 0: the file as a whole
  std::string said;    // the script's own words, shortened, safe to print
  std::string reason;  // one sentence
  std::string next;
};

// With the row's words; `detail` stands in front of the reason where a name helps.
Finding Found(Fault fault, int line, std::string_view said, std::string_view detail = {});

bool HasFailure(std::span<const Finding> findings);

json::object ToJsonObject(const Finding& finding);

}  // namespace muster::checkup
