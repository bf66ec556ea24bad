#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace muster::checkup {

// The faults that an examination finds in a script. docs/formats/doctor.md has a row for each.
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
  kFixedRank,
  kSyntaxError,
  kCarriageReturns,
};

enum class Grade {
  kWarn,  // works on one machine, or sometimes
  kFail,  // cannot work unchanged
};

const char* Name(Grade grade);  // "warn", "fail"

// One row of the table of faults: the properties that all its findings share.
struct FaultRow {
  Fault fault;
  const char* code;    // "duplicate-ranks"; never changes
  Grade grade;         // default; a finding may override it
  const char* reason;  // why the job fails or trains wrongly
  const char* next;    // what to do
};
std::span<const FaultRow> FaultRows();
const FaultRow& RowOf(Fault fault);

struct Finding {
  Fault fault;
  Grade grade;
  int line = 0;        // from 1; 0 for the file as a whole
  std::string said;    // the script's text, shortened, safe to print
  std::string reason;  // one sentence
  std::string next;
};

// A finding with the texts of its row; `detail` precedes the reason.
Finding Found(Fault fault, int line, std::string_view said, std::string_view detail = {});

bool HasFailure(std::span<const Finding> findings);

json::object ToJsonObject(const Finding& finding);

}  // namespace muster::checkup
