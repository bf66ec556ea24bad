#include <csignal>
#include <cstring>
#include <string_view>

#include "apps/serve.h"
#include "apps/settings.h"
#include "cli/cli.h"
#include "launcher/agent.h"
#include "launcher/launcher.h"
#include "launcher/meanwhile.h"
#include "launcher/nursery.h"
#include "launcher/stage_in.h"
#include "launcher/stage_out.h"
#include "version.h"

namespace {

// muster launch --order DIR, and what a launcher starts: --stage-in, --stage-out, --meanwhile DIR
int Launch(const std::vector<std::string>& arguments) {
  if (arguments.size() != 2) return 2;
  if (arguments[0] == "--stage-in") return muster::launcher::RunStageIn(arguments[1]);
  if (arguments[0] == "--meanwhile") return muster::launcher::RunMeanwhile(arguments[1]);
  if (arguments[0] == "--stage-out") return muster::launcher::RunStageOut(arguments[1]);
  return muster::launcher::RunLauncher(arguments[1]);
}

// muster launch --nursery ROOM
bool IsNursery(int argc, char** argv) {
  return argc == 4 && std::string_view(argv[1]) == "launch" &&
         std::string_view(argv[2]) == "--nursery";
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (IsNursery(argc, argv))
    return muster::launcher::RunNursery({argv[1], argv[3] + std::strlen(argv[3])});
  return muster::cli::RunCli(argc, argv,
                             {.server = muster::apps::Serve,
                              .launch = Launch,
                              .agent = muster::launcher::RunAgent,
                              .server_schema = muster::apps::SettingsSchema,
                              .version = muster::kVersion,
                              .commit = muster::kCommit,
                              .build_date = muster::kBuildDate});
}
