#include "checkup/finding.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace muster::checkup {
namespace {

constexpr size_t kLongestSaid = 100;

constexpr std::array kRows{
    FaultRow{Fault::kDuplicateRanks, "duplicate-ranks", Grade::kWarn,
             "every node counts its ranks from 0, so on two nodes each rank is there twice",
             "take the rank that the platform sets, or add the node's number times the devices of "
             "a node"},
    FaultRow{Fault::kDuplicateShards, "duplicate-shards", Grade::kWarn,
             "the shard is chosen by the device of the node and their number by all ranks, so two "
             "nodes read the same part of the data and leave out the rest",
             "choose the shard by the rank (RANK_ID, RANK) instead of the device"},
    FaultRow{Fault::kFixedAddress, "fixed-address", Grade::kWarn,
             "an address is written down that other machines do not have",
             "take it from what the platform sets (MASTER_ADDR, MS_SCHED_HOST, PADDLE_MASTER, "
             "BATCH_CURRENT_HOST)"},
    FaultRow{Fault::kFixedPort, "fixed-port", Grade::kWarn,
             "the port is written down: a second job on the node, or what is left of the last one, "
             "takes it",
             "take it from what the platform sets (MASTER_PORT, MS_SCHED_PORT, "
             "BATCH_CURRENT_PORT), or keep the number as a default only"},
    FaultRow{Fault::kFixedInterface, "fixed-interface", Grade::kWarn,
             "a network interface is named that other machines may not have",
             "leave it out, or take the name from a variable"},
    FaultRow{Fault::kFixedDeviceCount, "fixed-device-count", Grade::kWarn,
             "the devices of a node are counted here instead of asked for: with fewer it fails, "
             "with more the rest stands idle",
             "take the number from what the platform sets, or from the framework"},
    FaultRow{Fault::kFixedWorldSize, "fixed-world-size", Grade::kWarn,
             "the number of all ranks or nodes is written down: with another layout the ranks wait "
             "for others that never come",
             "take it from what the platform sets (WORLD_SIZE, RANK_SIZE, PADDLE_TRAINERS_NUM)"},
    FaultRow{Fault::kFixedDevice, "fixed-device", Grade::kWarn,
             "every rank of a node takes the same device",
             "choose the device by LOCAL_RANK, DEVICE_ID or FLAGS_selected_gpus"},
    FaultRow{Fault::kDroppedFlags, "dropped-flags", Grade::kFail,
             "the launcher of Paddle 2.3 and later drops these flags with a warning and trains "
             "every node alone",
             "run it with framework: paddle and launch: {start: launch}, where the job's variables "
             "win over them; elsewhere use --master, --nnodes, --rank and --devices"},
    FaultRow{Fault::kLocalRankArgument, "local-rank-argument", Grade::kWarn,
             "--local_rank is passed by an old launcher only; without it every rank is local rank "
             "0 and takes the first device",
             "read LOCAL_RANK from the environment"},
    FaultRow{Fault::kGoneInterface, "gone-interface", Grade::kFail,
             "current versions do not have this interface any more",
             "write it for the current interface, or pin the old version with its own Python"},
    FaultRow{Fault::kShadowedModule, "shadowed-module", Grade::kFail,
             "a script of this name is imported in place of the framework",
             "give the file another name"},
    FaultRow{Fault::kMissingDataUrl, "missing-data-url", Grade::kWarn,
             "ModelArts passes --data_url and --train_url, and parse_args() ends with code 2 on an "
             "argument that it does not know",
             "add both arguments, or use parse_known_args()"},
    FaultRow{Fault::kMissingPath, "missing-path", Grade::kWarn, "this path does not exist here",
             "take the place from an argument or a variable, or name it as an input of the job"},
    FaultRow{Fault::kMissingScript, "missing-script", Grade::kWarn,
             "this file is not beside the script",
             "put it into the code folder, or correct the name"},
    FaultRow{Fault::kWrongInterpreter, "wrong-interpreter", Grade::kFail,
             "the script is given to the interpreter of another language, which ends with a syntax "
             "error",
             "run .sh files with bash and .py files with python3"},
    FaultRow{Fault::kBashOnly, "bash-only", Grade::kWarn,
             "the first line asks for sh, which on many systems does not know this",
             "begin the file with #!/bin/bash"},
    FaultRow{Fault::kLostExitCode, "lost-exit-code", Grade::kWarn,
             "the exit code of the ranks is lost here, so a failed training looks like a good one",
             "wait for each process (wait $pid || failed=1), or set -o pipefail before a pipe"},
    FaultRow{Fault::kLeftBehind, "left-behind", Grade::kFail,
             "the script ends while what it started in the background still runs: the job is over "
             "at once and the ranks are stopped",
             "end the script with a wait for each process"},
    FaultRow{Fault::kNeverEnds, "never-ends", Grade::kWarn,
             "the job never ends by itself and keeps its devices until it is stopped",
             "leave it out: logs and outputs stay after the end"},
    FaultRow{Fault::kNeedsPassword, "needs-password", Grade::kWarn,
             "sudo has nobody to ask for a password in a job", "run the job as the right user"},
    FaultRow{Fault::kInstalls, "installs", Grade::kWarn,
             "packages are installed while the job runs: every rank does it at the same time, and "
             "a node without an outside network cannot",
             "do it once, in the image or in the job's setup hook"},
};

// At a character's border, with a sign that there was more.
std::string Shortened(std::string_view text) {
  std::string printable = Printable(Trim(text.substr(0, 4 * kLongestSaid)));
  if (printable.size() <= kLongestSaid) return printable;
  size_t end = kLongestSaid;
  while (end > 0 && (printable[end] & 0xC0) == 0x80) --end;
  return printable.substr(0, end) + "…";
}

}  // namespace

const char* Name(Grade grade) { return grade == Grade::kFail ? "fail" : "warn"; }

std::span<const FaultRow> FaultRows() { return kRows; }

const FaultRow& RowOf(Fault fault) { return *std::ranges::find(kRows, fault, &FaultRow::fault); }

Finding Found(Fault fault, int line, std::string_view said, std::string_view detail) {
  const FaultRow& row = RowOf(fault);
  std::string reason = Printable(detail);
  if (!detail.empty()) reason += ": ";
  reason += row.reason;
  return {fault, row.grade, line, Shortened(said), std::move(reason), row.next};
}

bool HasFailure(std::span<const Finding> findings) {
  return std::ranges::any_of(findings,
                             [](const Finding& finding) { return finding.grade == Grade::kFail; });
}

json::object ToJsonObject(const Finding& finding) {
  return {{"code", RowOf(finding.fault).code},
          {"grade", Name(finding.grade)},
          {"line", finding.line},
          {"said", finding.said},
          {"reason", finding.reason},
          {"next", finding.next}};
}

}  // namespace muster::checkup
