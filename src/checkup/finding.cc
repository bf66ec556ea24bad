#include "checkup/finding.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace muster::checkup {
namespace {

constexpr size_t kLongestSaid = 100;

constexpr std::array kRows{
    FaultRow{Fault::kDuplicateRanks, "duplicate-ranks", Grade::kWarn,
             "every node numbers its ranks from 0, so on two nodes each rank exists twice",
             "take the rank that the platform sets, or add the node number times the devices per "
             "node"},
    FaultRow{Fault::kDuplicateShards, "duplicate-shards", Grade::kWarn,
             "the shard index is the device of the node, but the number of shards is that of all "
             "ranks, so two nodes read the same part of the data and skip the rest",
             "choose the shard by the rank (RANK_ID, RANK) instead of the device"},
    FaultRow{Fault::kFixedAddress, "fixed-address", Grade::kWarn,
             "the address is a constant that other machines do not have",
             "read it from the variable that the platform sets (MASTER_ADDR, MS_SCHED_HOST, "
             "PADDLE_MASTER, "
             "BATCH_CURRENT_HOST)"},
    FaultRow{Fault::kFixedPort, "fixed-port", Grade::kWarn,
             "the port is a constant, which a second job on the node, or a remaining process of an "
             "earlier one, may use",
             "read it from the variable that the platform sets (MASTER_PORT, MS_SCHED_PORT, "
             "BATCH_CURRENT_PORT), or use the number as a default only"},
    FaultRow{Fault::kFixedInterface, "fixed-interface", Grade::kWarn,
             "the name of a network interface is a constant that other machines may not have",
             "omit it, or read the name from a variable"},
    FaultRow{Fault::kFixedDeviceCount, "fixed-device-count", Grade::kWarn,
             "the number of devices per node is a constant: with fewer devices the job fails, with "
             "more the rest is idle",
             "read the number from a variable of the platform, or from the framework"},
    FaultRow{Fault::kFixedWorldSize, "fixed-world-size", Grade::kWarn,
             "the number of ranks or nodes is a constant: with another number the ranks wait for "
             "ranks that do not exist",
             "read it from the variable that the platform sets (WORLD_SIZE, RANK_SIZE, "
             "PADDLE_TRAINERS_NUM)"},
    FaultRow{Fault::kFixedDevice, "fixed-device", Grade::kWarn,
             "all ranks of a node use the same device",
             "choose the device by LOCAL_RANK, DEVICE_ID or FLAGS_selected_gpus"},
    FaultRow{Fault::kDroppedFlags, "dropped-flags", Grade::kFail,
             "the launcher of Paddle 2.3 and later drops these flags with a warning and trains "
             "every node alone",
             "run it with framework: paddle and launch: {start: launch}, where the job's variables "
             "win over them; elsewhere use --master, --nnodes, --rank and --devices"},
    FaultRow{Fault::kLocalRankArgument, "local-rank-argument", Grade::kWarn,
             "only old launchers pass --local_rank; without it every rank is local rank 0 and uses "
             "the first device",
             "read LOCAL_RANK from the environment"},
    FaultRow{Fault::kGoneInterface, "gone-interface", Grade::kFail,
             "current versions have removed this interface",
             "use the current interface, or pin the old version in a Python environment"},
    FaultRow{Fault::kShadowedModule, "shadowed-module", Grade::kFail,
             "a script with this name is imported instead of the framework", "rename the file"},
    FaultRow{
        Fault::kMissingDataUrl, "missing-data-url", Grade::kWarn,
        "ModelArts passes --data_url and --train_url, and parse_args() exits with code 2 for an "
        "unknown argument",
        "add both arguments, or use parse_known_args()"},
    FaultRow{Fault::kMissingPath, "missing-path", Grade::kWarn, "this path does not exist here",
             "read the path from an argument or a variable, or declare it as an input of the job"},
    FaultRow{Fault::kMissingScript, "missing-script", Grade::kWarn,
             "this file is not in the folder of the script",
             "add it to the code folder, or correct the name"},
    FaultRow{Fault::kWrongInterpreter, "wrong-interpreter", Grade::kFail,
             "the script is run by the interpreter of another language, which fails with a syntax "
             "error",
             "run .sh files with bash and .py files with python3"},
    FaultRow{Fault::kBashOnly, "bash-only", Grade::kWarn,
             "the first line selects sh, which on many systems lacks this feature",
             "start the file with #!/bin/bash"},
    FaultRow{Fault::kLostExitCode, "lost-exit-code", Grade::kWarn,
             "the exit code of the ranks is discarded, so a failed training looks successful",
             "wait for each process (wait $pid || failed=1), or set -o pipefail before a pipe"},
    FaultRow{Fault::kLeftBehind, "left-behind", Grade::kFail,
             "the script ends while its background processes are running: the job ends and the "
             "ranks are stopped",
             "end the script with wait for each process"},
    FaultRow{Fault::kNeverEnds, "never-ends", Grade::kWarn,
             "the job does not end and keeps its devices until it is stopped",
             "remove it: logs and outputs are kept after the end of the job"},
    FaultRow{Fault::kNeedsPassword, "needs-password", Grade::kWarn,
             "sudo cannot ask for a password in a job", "run the job as the required user"},
    FaultRow{Fault::kInstalls, "installs", Grade::kWarn,
             "packages are installed while the job runs: all ranks do it at the same time, and a "
             "node without internet access cannot",
             "install them once, in the image or in the setup hook of the job"},
    FaultRow{Fault::kFixedRank, "fixed-rank", Grade::kWarn,
             "the rank is a constant, so all processes have the same rank and wait for the others, "
             "or train alone",
             "take the rank that the platform sets (RANK, RANK_ID, PADDLE_TRAINER_ID)"},
    FaultRow{Fault::kSyntaxError, "syntax-error", Grade::kFail,
             "the interpreter rejects the script before its first line runs",
             "correct the line, or run the script with the interpreter version that it needs"},
    FaultRow{Fault::kCarriageReturns, "carriage-returns", Grade::kFail,
             "the lines end with a carriage return (Windows format), which Linux reads as part of "
             "each command",
             "convert the file: sed -i 's/\\r$//' FILE"},
};

// Cut between characters, with an ellipsis.
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
