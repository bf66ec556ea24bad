#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/exit_report.h"

namespace muster {

// A launcher's record: the truth about one node of one attempt, an append-only file of lines
//   <crc32c of the JSON, 8 hex digits> <JSON object>\n
// written with one write each. A torn last line is not there; a bad line inside is corruption.

struct LauncherBegan {
  std::string token;
  int pid = 0;
  uint64_t start_ticks = 0;
  std::string host;
  std::string cgroup;
  std::vector<std::string> notes;  // what this machine could not give
  std::string boot;                // os::BootIdentity
};
struct StageDone {
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t ms = 0;
};
// Progress of staging, for the user.
struct StageNote {
  std::string text;
  bool progress = false;  // superseded by the next note
};
struct RankStarted {
  int rank = 0;
  int pid = 0;
  uint64_t start_ticks = 0;
};
struct RankEnded {
  int rank = 0;
  ExitReport exit;
};
// The first failure from the node's point of view; `rank` is -1 for staging, a hook, or the
// launcher itself.
struct NodeFailed {
  int rank = -1;
  ExitReport exit;
  std::string what;
};
struct StopBegan {
  StoppedBy by = StoppedBy::kNobody;
  std::string detail;
};
struct WarningSent {
  std::string signal;
  int64_t left_ms = 0;
};
// The cleanup proof: processes found after the ranks ended, how many were killed, and that a last
// look at cgroup, descendants and marks found none.
struct NodeClean {
  int found = 0;
  int killed = 0;
  int left = 0;
  int64_t took_ms = 0;
  std::vector<std::string> names;
};
struct LauncherEnded {
  bool failed = false;
};
// Whether the ranks of the job form one world, as far as their connections show. Written by the
// first node's launcher.
struct GangNote {
  std::string text;
  bool apart = true;  // ranks with the variables of a framework, which should be connected, are not
};

using RecordBody =
    std::variant<LauncherBegan, StageDone, RankStarted, RankEnded, NodeFailed, StopBegan,
                 WarningSent, NodeClean, LauncherEnded, StageNote, GangNote>;

struct RecordLine {
  int64_t wall_ms = 0;  // wall clock of the node, for people
  int64_t mono_ms = 0;  // since the launcher started
  RecordBody body;
  size_t end = 0;  // end of the line in the input; not written
};

std::string EncodeRecordLine(const RecordLine& line);  // with a newline

// The lines of `bytes`, which begin at a line start. `used` is the length of the complete lines:
// the next read starts there. kCorrupt for a complete line with a wrong checksum.
struct RecordPart {
  std::vector<RecordLine> lines;
  size_t used = 0;
};
Result<RecordPart> DecodeRecord(std::string_view bytes);

// A line of attempts/<n>/control, by which the server and the launchers of an attempt request a
// stop. Same framing as the record. Repeated and empty lines are harmless.
struct ControlLine {
  StoppedBy by = StoppedBy::kUser;
  int node = -1;  // for kRankFailure: the place
  int rank = -1;
  std::string detail;
  int64_t grace_ms = -1;  // -1 for the ordered grace period
};
std::string EncodeControlLine(const ControlLine& line);
struct ControlPart {
  std::vector<ControlLine> lines;
  size_t used = 0;
};
Result<ControlPart> DecodeControl(std::string_view bytes);

}  // namespace muster
