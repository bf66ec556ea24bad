// The launcher alone, for tests of engines: what `muster launch --nursery` is in the product.
#include <csignal>
#include <cstring>

#include "launcher/nursery.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc != 4) return 2;
  return muster::launcher::RunNursery({argv[1], argv[3] + std::strlen(argv[3])});
}
