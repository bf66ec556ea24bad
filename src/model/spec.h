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

// Platforms whose scripts run unchanged, each with a file of its own in dialect/.
inline constexpr std::array<std::string_view, 3> kPlatforms{"modelarts", "modelarts-v1", "apulis"};

using JobId = int64_t;
using Pairs = std::vector<std::pair<std::string, std::string>>;  // in the order of the file

// A job file after reading: every field checked, every default filled in, variables replaced,
// sweeps expanded. spec_reader.h makes it; nothing else does.

struct DeviceRequest {
  std::string kind = "cpu";  // "cpu", "gpu", "npu", or a kind declared in the configuration
  int count = 1;             // on each node
  bool operator==(const DeviceRequest&) const = default;
};

// What to execute: a boot file (run by its interpreter), a text (a shell's when it needs one), or
// the words themselves.
struct Command {
  std::string text;                // "train.py", "python train.py --fast", "a && b"
  std::vector<std::string> words;  // given as a list; `text` is empty then
  bool operator==(const Command&) const = default;
};

struct Role {
  std::string name = "worker";
  int nodes = 1;
  DeviceRequest devices;
  int ranks = 1;  // processes on each node; devices.count unless said otherwise
  Command run;
  Pairs parameters;  // the job's with the role's on top
  Pairs env;
  bool service = false;  // stopped when all other roles have ended (parameter servers)
  bool operator==(const Role&) const = default;
};

// Whether a role of this name is a service unless the job file says otherwise: parameter servers
// never end by themselves.
bool ServesByName(std::string_view role);

struct AfterJob {
  JobId job = 0;
  std::string when = "succeeded";  // "succeeded" | "ended"
  bool operator==(const AfterJob&) const = default;
};

struct Hooks {
  std::string setup;    // shell text, once a node before the ranks; a failure is the job's failure
  std::string on_stop;  // shell text, once a node when a stop is asked, before the ranks get TERM
  std::string on_failure;  // shell text, once a node after a failed attempt is clean
  bool operator==(const Hooks&) const = default;
};

// What becomes of an output beyond the folder that the ranks write into: it is taken elsewhere,
// whole, when the job has ended.
struct Publishing {
  std::string name;        // of the output
  std::string to;          // in a bucket (source.h), or an absolute folder
  bool always = false;     // also when the job failed or was stopped
  int64_t sync_ms = 0;     // and while it runs, so often; 0: only at the end
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
  std::string platform;  // whose inside the job finds: one of kPlatforms; empty: none
  Launch launch;
  std::string python = "python3";  // interpreter of .py boot files
  std::string code;                // folder as the user wrote it, or in a bucket; empty: none
  std::string code_hash;           // its snapshot, set at submit
  Pairs inputs;   // name -> absolute folder or file, file:// URL, or far (source.h)
  Pairs outputs;  // name -> absolute folder; empty: kept in the job's own folder. The first
                  // generation of ModelArts has URLs here
  std::vector<Publishing> published;  // those that are taken elsewhere; their folder is the job's
  std::string logs;                   // where logs are taken to, as in Publishing; empty: nowhere
  std::optional<StoreAccess> store;   // absent: every bucket that the job names
  Pairs labels;
  Pairs shell_env;          // variables taken from the shell that submitted the job
  std::string submit_dir;   // that shell's current folder; empty: the job has the server's PATH,
                            // PYTHONPATH and so on, with `shell_env` on top
  std::vector<Role> roles;  // at least one; the plain form is one role "worker"
  std::string workdir = "node";   // who shares one copy of the code: the ranks of a "node", a
                                  // single "rank", or all nodes of the "job"
  std::optional<int64_t> memory;  // bytes a node, enforced where the machine can
  std::vector<AfterJob> after;
  int priority = 0;  // -1000 … 1000, higher first
  bool preemptible = false;
  int retries = 0;                    // new attempts after a failed one
  std::string on_retry = "continue";  // a later attempt starts in the working folder of the one
                                      // before; "fresh": in a new copy of the code
  std::optional<int64_t> time_limit_ms;
  int64_t warning_ms = 60'000;          // so long before the limit …
  std::string warning_signal = "USR1";  // … every rank gets this signal; empty: none
  int64_t grace_ms = 10'000;            // between TERM and KILL
  Hooks hooks;
  std::string sweep_group;  // set when this job is one of a sweep
  Pairs sweep_values;       // the swept names and this job's values

  int TotalNodes() const;
  int TotalRanks() const;
  // Whether this input is brought to the nodes before the ranks start.
  bool IsFetched(const std::pair<std::string, std::string>& input) const;
  bool operator==(const JobSpec&) const = default;
};

// The normal form that spec.json holds; ReadSpec of it gives the same spec again.
json::object ToJsonObject(const JobSpec& spec);

}  // namespace muster
