#include <csignal>

#include "apps/serve.h"
#include "cli/cli.h"
#include "launcher/agent.h"
#include "launcher/launcher.h"
#include "version.h"

namespace {

// muster launch --order DIR
int Launch(const std::vector<std::string>& arguments) {
  return arguments.size() == 2 ? muster::launcher::RunLauncher(arguments[1]) : 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return muster::cli::RunCli(argc, argv,
                             {.server = muster::apps::Serve,
                              .launch = Launch,
                              .agent = muster::launcher::RunAgent,
                              .version = muster::kVersion,
                              .commit = muster::kCommit,
                              .build_date = muster::kBuildDate});
}
