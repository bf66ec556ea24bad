#include "cli/job_flags.h"

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

}  // namespace

std::vector<Flag> JobFlags() {
  return {
      {"framework", 'f', "NAME",
       "whose launch contract the ranks get: pytorch, mindspore, paddle, …", false,
       Completes::kFramework},
      {"platform", 0, "NAME",
       "whose folders and variables it finds: modelarts, modelarts-v1, apulis"},
      {"nodes", 'N', "COUNT", "how many nodes"},
      {"devices", 'g', "KIND:COUNT", "devices on each node, such as npu:8"},
      {"launch", 0, "NAME=VALUE", "how the framework is started, such as start=msrun", true},
      {"ranks", 0, "COUNT", "processes on each node (else one a device)"},
      {"name", 'J', "NAME", "the job's name"},
      {"env", 'e', "NAME=VALUE", "an environment variable of every rank", true},
      {"param", 'p', "NAME=VALUE", "becomes --NAME=VALUE after the command", true},
      {"input", 'i', "NAME=PATH", "a file or folder that the job reads", true, Completes::kFile},
      {"output", 'o', "NAME[=PATH]", "a folder for results (else in the job's own folder)", true,
       Completes::kFolder},
      {"label", 'l', "NAME=VALUE", "a word of your own, to find the job by", true},
      {"code", 'C', "DIR",
       "code folder to send, or none (else this one, if the command names a file in it)", false,
       Completes::kFolder},
      {"code-limit", 0, "SIZE", "refuse a larger code folder (else 200MB)"},
      {"workdir", 0, "node|rank", "one copy of the code a node, or one a rank"},
      {"python", 0, "PROGRAM", "interpreter of .py files in front of the command (else python3)",
       false, Completes::kFile},
      {"memory", 'm', "SIZE", "memory of each node, such as 16G"},
      {"time", 't', "TIME", "the longest it may run, such as 90m"},
      {"grace", 0, "TIME", "between TERM and KILL when it is stopped"},
      {"priority", 0, "NUMBER", "-1000 to 1000, higher starts first"},
      {"preemptible", 0, nullptr, "may give way to a job of more priority"},
      {"retries", 0, "COUNT", "new attempts after a failed one"},
      {"after", 0, "ID[:ended]", "start after that job succeeded (or just ended)", true,
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
  values.time = Said(args, "time");
  values.grace = Said(args, "grace");
  if (args.Has("preemptible")) values.preemptible = true;
  values.after = args.All("after");
  values.command = args.rest;
  MUSTER_ASSIGN(values.env, SaidPairs(args, "env"));
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
