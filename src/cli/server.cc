#include <fmt/format.h>

#include "cli/connect.h"
#include "cli/interrupts.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

constexpr int kMostLooks = 100;
constexpr int64_t kLookEveryMs = 50;

const std::vector<Flag>& ServerFlags() {
  static const std::vector<Flag> kFlags = {
      {"data", 0, "DIR", "keep jobs, logs and code here (else $MUSTER_DATA)", false,
       Completes::kFolder},
      {"listen", 0, "HOST:PORT", "listen there (else a free port of 127.0.0.1)"},
      {"nodes", 0, "LIST", "virtual nodes on this machine, such as 4x8npu,1x2gpu"},
      {"engine", 0, "NAME", "local, slurm or kubernetes (else local)"},
      {"config", 0, "FILE", "read settings from this file", false, Completes::kFile},
      {"tls-cert", 0, "FILE", "certificate (PEM), needed to listen beyond this machine", false,
       Completes::kFile},
      {"tls-key", 0, "FILE", "its key (PEM)", false, Completes::kFile},
      {"s3-listen", 0, "HOST:PORT",
       "object store: listen there (else the last port, or a free one)"},
      {"s3-domain", 0, "NAME", "object store: BUCKET.NAME is a bucket (also BUCKET.localhost)"},
      {"store-sync", 0, "MODE", "object store: full or none (none for scratch data)"},
      {"store-sigv2", 0, "on|off", "object store: accept signatures of version 2 (else on)"},
      {"input-cache", 0, "SIZE", "keep so much of fetched inputs (else a fifth of the disk)"},
      {"owner", 0, "PID", "stop all jobs and end when this process, which started it, has ended"},
      {"stop", 0, nullptr, "ask the running server to end; its jobs go on"},
  };
  return kFlags;
}

Result<int> StopServer(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto api, ConnectOnly(context, args));
  MUSTER_TRY(api->Post("/shutdown", nullptr));
  Interrupts interrupts;
  for (int look = 0; look < kMostLooks; ++look) {
    if (!api->Get("/health")) {
      context.screen.Out(fmt::format("the server at {} has ended; its jobs go on\n", api->url()));
      return 0;
    }
    if (interrupts.Sleep(kLookEveryMs)) break;
  }
  context.screen.Out(fmt::format("the server at {} is ending\n", api->url()));
  return 0;
}

// Hands on the server's own flags alone, each as "--name" "value".
Result<int> Run(Context& context, const Args& args) {
  if (args.Has("stop")) return StopServer(context, args);
  std::vector<std::string> own;
  for (const Flag& flag : ServerFlags()) {
    if (!args.Has(flag.name)) continue;
    own.push_back(std::string("--") + flag.name);
    if (flag.value) own.push_back(args.Get(flag.name));
  }
  return context.extras.server(std::move(own));
}

}  // namespace

Verb ServerVerb() {
  return {.name = "server",
          .aliases = {},
          .summary = "Run the server in the foreground, or end it",
          .flags = ServerFlags(),
          .examples = {{"muster server", "on this machine's devices"},
                       {"muster server --nodes 2x8npu", "rehearse two nodes of eight devices"},
                       {"muster server --stop", "end the server of the usual data folder"}},
          .run = Run};
}

}  // namespace muster::cli
