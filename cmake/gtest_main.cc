#include <csignal>

#include <gmock/gmock.h>

// Writes to a closed socket must be errors in the tests as they are in the product.
int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
