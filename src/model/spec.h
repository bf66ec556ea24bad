#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/launch.h"

namespace muster {

// Platforms whose scripts run unchanged, each with a file in dialect/.
inline constexpr std::array<std::string_view, 3> kPlatforms{"modelarts", "modelarts-v1", "apulis"};

using JobId = int64_t;
using Pairs = std::vector<std::pair<std::string, std::string>>;  // in file order

// A job file after reading: all fields are checked, defaults filled in, variables replaced and
// sweeps expanded. Created only by spec_reader.h.

struct DeviceRequest {
  std::string kind = "cpu";  // "cpu", "gpu", "npu", or a kind declared in the configuration
  int count = 1;             // per node
  bool operator==(const DeviceRequest&) const = default;
};

// The command: a boot file (run by its interpreter), a text (run by a shell if necessary), or
// words.
struct Command {
  std::string text;                // "train.py", "python train.py --fast", "a && b"
  std::vector<std::string> words;  // given as a list; `text` is then empty
  bool operator==(const Command&) const = default;
};

struct Role {
  std::string name = "worker";
  int nodes = 1;
  DeviceRequest devices;
  int ranks = 1;  // processes per node; default: devices.count
  Command run;
  Pairs parameters;  // of the job, overridden by those of the role
  Pairs env;
  bool service = false;  // stopped after all other roles have ended (parameter servers)
  bool operator==(const Role&) const = default;
};

// Whether a role of this name is a service by default: parameter servers do not end by themselves.
bool ServesByName(std::string_view role);

struct AfterJob {
  JobId job = 0;
  std::string when = "succeeded";  // "succeeded" | "ended"
  bool operator==(const AfterJob&) const = default;
};

struct Hooks {
  std::string setup;  // shell text, run once per node before the ranks; a failure fails the job
  // Shell text, run once per node when a stop is requested, before ranks receive TERM.
  std::string on_stop;
  std::string on_failure;  // shell text, run once per node after a failed attempt is clean
  bool operator==(const Hooks&) const = default;
};

// The publication of an output: a complete copy to another place after the job has ended.
struct Publishing {
  std::string name;        // of the output
  std::string to;          // in a bucket (source.h), or an absolute folder
  bool always = false;     // also if the job failed or was stopped
  int64_t sync_ms = 0;     // interval of copies while the job runs; 0 for none
  bool overwrite = false;  // replaces the complete result of another job
  bool operator==(const Publishing&) const = default;
};

// Places of the server's object store that the job may use besides those that it names:
// "s3://BUCKET/PREFIX", "obs://BUCKET/PREFIX", or "*" for all buckets.
struct StoreAccess {
  std::vector<std::string> read, write;  // `write` includes reading
  bool operator==(const StoreAccess&) const = default;
};

struct JobSpec {
  std::string name;
  std::string framework = "custom";
  std::string platform;  // one of kPlatforms; empty for none
  Launch launch;
  std::string python = "python3";  // interpreter of .py boot files
  std::string code;                // folder as written by the user, or in a bucket; empty for none
  std::string code_hash;           // hash of its snapshot, set at submit
  Pairs inputs;   // name to absolute folder or file, file:// URL, or remote place (source.h)
  Pairs outputs;  // name -> absolute folder; empty: kept in the job's own folder. The first
                  // generation of ModelArts has URLs here
  std::vector<Publishing> published;  // published outputs; their folder belongs to the job
  std::string logs;                   // destination of the logs, as in Publishing; empty for none
  std::optional<StoreAccess> store;   // absent: every bucket that the job names
  Pairs labels;
  Pairs shell_env;          // variables taken from the shell that submitted the job
  std::string submit_dir;   // that shell's current folder; empty: the job has the server's PATH,
                            // PYTHONPATH and so on, with `shell_env` on top
  std::vector<Role> roles;  // at least one; a job without roles has one role "worker"
  std::string workdir = "node";   // who shares one copy of the code: the ranks of a "node", a
                                  // single "rank", or all nodes of the "job"
  std::optional<int64_t> memory;  // bytes per node, enforced where possible
  std::vector<AfterJob> after;
  int priority = 0;  // -1000 … 1000, higher values first
  bool preemptible = false;
  int retries = 0;                    // attempts after a failure
  std::string on_retry = "continue";  // a later attempt starts in the working folder of the one
                                      // before; "fresh": in a new copy of the code
  std::optional<int64_t> time_limit_ms;
  int64_t warning_ms = 60'000;          // this long before the limit …
  std::string warning_signal = "USR1";  // … every rank receives this signal; empty for none
  int64_t grace_ms = 10'000;            // between TERM and KILL
  Hooks hooks;
  std::string sweep_group;  // set if the job belongs to a sweep
  Pairs sweep_values;       // the swept names and the values of this job

  int TotalNodes() const;
  int TotalRanks() const;
  // Whether the input is fetched to the nodes before the ranks start.
  bool IsFetched(const std::pair<std::string, std::string>& input) const;
  bool operator==(const JobSpec&) const = default;
};

// The normal form stored in spec.json; ReadSpec of it yields an equal spec.
json::object ToJsonObject(const JobSpec& spec);

}  // namespace muster
