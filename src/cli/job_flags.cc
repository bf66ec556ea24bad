#include "cli/job_flags.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "model/variables.h"

namespace muster::cli {
namespace {

std::optional<std::string> Said(const Args& args, std::string_view flag) {
  return args.Has(flag) ? std::optional(args.Get(flag)) : std::nullopt;
}

Result<Pairs> SaidPairs(const Args& args, const std::string& flag) {
  Pairs pairs;
  for (const std::string& text : args.All(flag)) {
    MUSTER_ASSIGN(auto pair, SplitPair(text, "--" + flag));
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// A name without a value stands for the variable of this shell, as with `docker run -e`.
Result<Pairs> EnvPairs(const Args& args) {
  Pairs pairs;
  for (const std::string& text : args.All("env")) {
    const char* value = text.contains('=') ? nullptr : std::getenv(text.c_str());
    if (text.contains('=')) {
      MUSTER_ASSIGN(auto pair, SplitPair(text, "--env"));
      pairs.push_back(std::move(pair));
    } else if (value != nullptr) {
      pairs.emplace_back(text, EscapeVariables(value));
    } else {
      return Fail(Code::kInvalid,
                  fmt::format("--env {}: this shell has no such variable", ShellQuote(text)),
                  "write NAME=VALUE, or export the variable first");
    }
  }
  return pairs;
}

}  // namespace

std::vector<Flag> JobFlags() {
  return {
      {"framework", 'f', "NAME", "framework to launch for: pytorch, mindspore, paddle, …", false,
       Completes::kFramework},
      {"platform", 0, "NAME", "platform to run scripts of: modelarts, modelarts-v1, apulis", false,
       Completes::kPlatform},
      {"nodes", 'N', "COUNT", "number of nodes"},
      {"devices", 'g', "KIND:COUNT", "devices on each node, such as npu:8"},
      {"launch", 0, "NAME=VALUE", "how the framework is started, such as start=msrun", true},
      {"ranks", 0, "COUNT", "processes on each node (default: one per device)"},
      {"name", 'J', "NAME", "the job's name"},
      {"env", 'e', "NAME[=VALUE]", "a variable of every rank; without value: of this shell", true},
      {"export", 0, "inherit|none|NAME,…",
       "variables of this shell that the job takes (else inherit: PATH, VIRTUAL_ENV, CONDA_*, "
       "PYTHONPATH, LD_LIBRARY_PATH, LANG, LC_*)"},
      {"param", 'p', "NAME=VALUE", "becomes --NAME=VALUE after the command", true},
      {"input", 'i', "NAME=PATH", "a file or folder that the job reads", true, Completes::kFile},
      {"output", 'o', "NAME[=PATH]", "folder for results (default: in the job's own folder)", true,
       Completes::kFolder},
      {"label", 'l', "NAME=VALUE", "label to filter by", true},
      {"code", 'C', "DIR",
       "code folder to send, or none (else this one, if the command names a file in it)", false,
       Completes::kFolder},
      {"code-limit", 0, "SIZE", "size limit of the code folder (default: 200MB)"},
      {"overwrite", 0, nullptr, "published outputs may replace the result of another job"},
      {"workdir", 0, "node|rank|job",
       "who shares one working folder (default: the ranks of a node)", false, Completes::kWorkdir},
      {"python", 0, "PROGRAM", "interpreter of .py files in front of the command (else python3)",
       false, Completes::kFile},
      {"memory", 'm', "SIZE", "memory of each node, such as 16G"},
      {"time", 't', "TIME", "time limit of an attempt, such as 90m"},
      {"grace", 0, "TIME", "time between TERM and KILL when the job is stopped"},
      {"priority", 0, "NUMBER", "-1000 to 1000, higher starts first"},
      {"preemptible", 0, nullptr, "may be stopped for a job of higher priority"},
      {"retries", 0, "COUNT", "number of new attempts after a failed one"},
      {"on-retry", 0, "continue|fresh",
       "start a retry in the working folder of the attempt before (default), or in a new copy"},
      {"after", 0, "ID[:ended]", "start when that job has succeeded (or ended in any way)", true,
       Completes::kJob},
      {"sweep", 0, "NAME=A,B", "one job for each value, as a group", true},
  };
}

Result<FlagValues> ReadJobFlags(const Args& args) {
  FlagValues values;
  values.name = Said(args, "name");
  values.framework = Said(args, "framework");
  values.platform = Said(args, "platform");
  values.python = Said(args, "python");
  values.workdir = Said(args, "workdir");
  values.nodes = Said(args, "nodes");
  values.devices = Said(args, "devices");
  values.ranks = Said(args, "ranks");
  values.memory = Said(args, "memory");
  values.priority = Said(args, "priority");
  values.retries = Said(args, "retries");
  values.on_retry = Said(args, "on-retry");
  values.overwrite = args.Has("overwrite");
  values.time = Said(args, "time");
  values.grace = Said(args, "grace");
  if (args.Has("preemptible")) values.preemptible = true;
  values.after = args.All("after");
  values.command = args.rest;
  MUSTER_ASSIGN(values.env, EnvPairs(args));
  MUSTER_ASSIGN(values.parameters, SaidPairs(args, "param"));
  MUSTER_ASSIGN(values.inputs, SaidPairs(args, "input"));
  MUSTER_ASSIGN(values.labels, SaidPairs(args, "label"));
  MUSTER_ASSIGN(values.launch, SaidPairs(args, "launch"));
  MUSTER_ASSIGN(values.sweep, SaidPairs(args, "sweep"));
  for (const std::string& text : args.All("output")) {
    const size_t equals = text.find('=');
    values.outputs.emplace_back(text.substr(0, equals),
                                equals == std::string::npos ? "" : text.substr(equals + 1));
  }
  return values;
}

}  // namespace muster::cli
