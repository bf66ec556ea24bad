#include "launcher/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::launcher {
namespace {

using testing::ElementsAre;

TEST(EnvironmentTest, InheritedOmitsMusterAndServiceManagerVariables) {
  const char* entries[] = {"PATH=/bin",        "MUSTER_TOKEN=secret", "MUSTER_SERVER=http://x",
                           "NOTIFY_SOCKET=/x", "MUSTERED=stays",      nullptr};
  EXPECT_THAT(Environment::Inherited(entries).entries(),
              ElementsAre("PATH=/bin", "MUSTERED=stays"));
  EXPECT_TRUE(Environment::Inherited(nullptr).entries().empty());
}

TEST(EnvironmentTest, InheritedLeavesOutSecretsAndSessions) {
  const char* entries[] = {"HF_TOKEN=x",     "AWS_SECRET_ACCESS_KEY=x",  "DB_PASSWORD=x",
                           "SSH_CLIENT=x",   "SUDO_COMMAND=x",           "PWD=/x",
                           "LANG=C",         "PYTHONPATH=/server",       "CUDA_HOME=/cuda",
                           "VIRTUAL_ENV=/v", "TOKENIZERS_PARALLELISM=0", nullptr};
  EXPECT_THAT(Environment::Inherited(entries).entries(),
              ElementsAre("LANG=C", "PYTHONPATH=/server", "CUDA_HOME=/cuda", "VIRTUAL_ENV=/v",
                          "TOKENIZERS_PARALLELISM=0"));
}

TEST(EnvironmentTest, SubmittersShellReplacesThatOfTheServer) {
  const char* entries[] = {"PATH=/bin",       "PYTHONPATH=/server",     "VIRTUAL_ENV=/v",
                           "CONDA_PREFIX=/c", "LD_LIBRARY_PATH=/l",     "LC_ALL=C",
                           "CUDA_HOME=/cuda", "CONDA_DEFAULT_ENV=base", nullptr};
  EXPECT_THAT(Environment::Inherited(entries, Environment::Part::kWithoutShell).entries(),
              ElementsAre("PATH=/bin", "CUDA_HOME=/cuda"));
}

TEST(EnvironmentTest, LaterSettingsReplaceEarlierOnes) {
  const char* entries[] = {"A=1", "AB=2", nullptr};
  auto environment = Environment::Inherited(entries);
  environment.Set(Pairs{{"A", "x=y"}, {"C", ""}});
  environment.SetEntry("AB=3");
  EXPECT_THAT(environment.entries(), ElementsAre("A=x=y", "AB=3", "C="));
  EXPECT_TRUE(environment.Has("C"));
  EXPECT_FALSE(environment.Has("B"));
}

TEST(EnvironmentTest, EntriesWithoutAValueAreOmitted) {
  const std::vector<std::string> entries = {"A=1", "nonsense", "A=2"};
  EXPECT_THAT(Environment::Of(entries).entries(), ElementsAre("A=2"));
}

}  // namespace
}  // namespace muster::launcher
