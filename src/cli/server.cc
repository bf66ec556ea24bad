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
      {"data", 0, "DIR", "folder for jobs, logs and code (default: $MUSTER_DATA)", false,
       Completes::kFolder},
      {"listen", 0, "HOST:PORT", "address of the HTTP API (default: a free port of 127.0.0.1)"},
      {"nodes", 0, "LIST", "virtual nodes on this machine, such as 4x8npu,1x2gpu"},
      {"memory", 0, "SIZE",
       "memory that jobs may use together (default: all but 5 %, at least 512M less)"},
      {"engine", 0, "NAME", "how jobs are started: local, the only one in this version"},
      {"config", 0, "FILE", "read settings from this file", false, Completes::kFile},
      {"tls-cert", 0, "FILE", "certificate (PEM), needed to listen beyond this machine", false,
       Completes::kFile},
      {"tls-key", 0, "FILE", "its key (PEM)", false, Completes::kFile},
      {"s3-listen", 0, "HOST:PORT",
       "object store: its address (default: the last port, or a free one)"},
      {"s3-domain", 0, "NAME", "object store: BUCKET.NAME is a bucket (also BUCKET.localhost)"},
      {"store-sync", 0, "MODE", "object store: full or none (none for scratch data)"},
      {"store-sigv2", 0, "on|off", "object store: accept signatures of version 2 (else on)"},
      {"input-cache", 0, "SIZE", "size limit of the input cache (default: 20 % of the disk)"},
      {"owner", 0, "PID", "stop all jobs and end when the process PID has ended"},
      {"accept-journal-loss", 0, nullptr,
       "start although the journal has lost jobs; those that still run are stopped"},
      {"stop", 0, nullptr, "end the running server; its jobs continue"},
  };
  return kFlags;
}

int TellStopped(Context& context, const Args& args, const std::string& url, bool has_ended) {
  if (args.Has("json")) {
    context.screen.Out(ToPrettyJson(json::object{{"server", url}, {"ended", has_ended}}));
  } else {
    context.screen.Out(has_ended ? fmt::format("the server at {} has ended; its jobs go on\n", url)
                                 : fmt::format("the server at {} is ending\n", url));
  }
  return 0;
}

Result<int> StopServer(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto api, ConnectOnly(context, args));
  MUSTER_TRY(api->Post("/shutdown", nullptr));
  Interrupts interrupts;
  for (int look = 0; look < kMostLooks; ++look) {
    if (!api->Get("/health")) return TellStopped(context, args, api->url(), true);
    if (interrupts.Sleep(kLookEveryMs)) break;
  }
  return TellStopped(context, args, api->url(), false);
}

// Passes the flags of `server` on as "--name" "value".
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
                       {"muster server --nodes 2x8npu", "two virtual nodes of eight devices"},
                       {"muster server --stop", "end the server of the usual data folder"}},
          .run = Run};
}

}  // namespace muster::cli
