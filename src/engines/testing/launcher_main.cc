// The launcher alone, for tests of engines: what `muster launch --order DIR` is in the product.
#include <csignal>

#include "launcher/launcher.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return argc == 4 ? muster::launcher::RunLauncher(argv[3]) : 2;
}
