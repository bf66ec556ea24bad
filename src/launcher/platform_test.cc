// Platform views and pre-start scripts with real launchers.

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "launcher/launch_bench.h"
#include "launcher/pre_start.h"
#include "launcher/view_fallback.h"
#include "os/testing/mount_probe.h"

namespace muster::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

View SomeView() {
  View view;
  view.mounts = {{"/tmp", "/j/tmp"}, {"/home/ma", "/j/home"}, {"/home/ma/out", "/data/my results"}};
  view.mounts[0].scratch = true;
  return view;
}

TEST(ViewFallbackTest, NamesOfTheViewBecomeTheirFolders) {
  const View view = SomeView();
  EXPECT_EQ(WithSources("/home/ma", view), "/j/home");
  EXPECT_EQ(WithSources("--train_url=/home/ma/out/a", view), "--train_url=/data/my results/a");
  EXPECT_EQ(WithSources("/usr/bin:/home/ma/bin,/home/ma", view), "/usr/bin:/j/home/bin,/j/home");
  EXPECT_EQ(WithSources("file:///home/ma", view), "file:///j/home");
  EXPECT_EQ(WithSources("/home/ma-user /home/max /x/home/ma", view),
            "/home/ma-user /home/max /x/home/ma");
  EXPECT_EQ(WithSources("", view), "");
}

TEST(ViewFallbackTest, ExistingScratchFoldersOfTheMachineAreKept) {
  NodeOrder order;
  order.view = SomeView();
  order.hosts = Hosts{{"127.77.0.1", "node-0"}};
  order.aliases = Aliases{{0, "job-worker-0.job"}, {7, "nobody"}};
  order.env = {{"TMPDIR", "/tmp"}, {"HOME", "/home/ma"}, {"VC_WORKER_HOSTS", "job-worker-0.job"}};
  order.ranks = {{.rank = 0, .argv = {"cat", "/home/ma/x"}, .env = {}, .cwd = "/home/ma/out"}};
  order.files = {{"/home/ma/f", std::string("at /home/ma/out")}};
  order.view->links = {{"/home/ma/code", "work"}, {"/pod.env", "/home/ma/env"}, {"/tmp/x", "y"}};
  WithoutView(order, [](const std::string& path) { return path == "/tmp"; });
  EXPECT_THAT(order.view->links, ElementsAre(Pair("/j/home/code", "work")))
      << "others would be made on the machine itself";
  EXPECT_THAT(order.env, ElementsAre(Pair("TMPDIR", "/tmp"), Pair("HOME", "/j/home"),
                                     Pair("VC_WORKER_HOSTS", "127.77.0.1")));
  EXPECT_THAT(order.ranks[0].argv, ElementsAre("cat", "/j/home/x"));
  EXPECT_EQ(order.ranks[0].cwd, "/data/my results");
  EXPECT_EQ(order.files[0].path, "/j/home/f");
  EXPECT_EQ(*order.files[0].content, "at /data/my results");
}

TEST(PreStartTest, OnlyChangesOfTheScriptAreExported) {
  const std::string dump = std::string(
      "A=1\0B=new\nline\0C=\0PWD=/x\0_=/usr/bin/env\0SHLVL=2\0"
      "MUSTER_RANK=3\0BASH_FUNC_f%%=() {\0nonsense\0=x",
      93);
  EXPECT_THAT(Exported({"A=1", "B=old", "D=gone"}, dump),
              ElementsAre(Pair("B", "new\nline"), Pair("C", "")));
  EXPECT_TRUE(Exported({}, "").empty());
}

// A name that is unique to this test run.
const std::string& LinkName() {
  static const std::string name = fmt::format("/muster-{}.env", getpid());
  return name;
}

// An order of a platform whose folders are inside the node's folder.
NodeOrder OnPlatform(LaunchBench& bench, const std::vector<std::string>& texts) {
  NodeOrder order = bench.Order(0, texts);
  order.platform = "modelarts";
  View view;
  view.mounts = {{"/tmp", order.dir + "/tmp"},
                 {"/muster-cache", order.dir + "/cache"},
                 {"/home/muster-user", order.dir + "/home"},
                 {"/home/muster-user/work", order.work_dir}};
  view.mounts[0].scratch = true;
  view.mounts[1].scratch = true;
  view.links = {{LinkName(), "/muster-cache/env"}};
  view.keep = {order.attempt_dir};
  order.view = std::move(view);
  return order;
}

// Whether the record lacks the note of a machine without mounts.
bool HasView(const std::vector<RecordLine>& record) {
  const auto began = Lines<LauncherBegan>(record);
  for (const std::string& note : began.at(0).notes)
    if (note.starts_with("this machine does not allow mounts")) return false;
  return true;
}

TEST(PlatformTest, RanksSeeTheFoldersOfTheJobAndTheMachineDoesNot) {
  LaunchBench bench;
  // In the private /tmp of the ranks.
  const std::string shared = fmt::format("tmp/shared-{}", getpid());
  NodeOrder order = OnPlatform(
      bench, {"echo one > /" + shared + "; echo two > /muster-cache/env; cat " + LinkName() +
              "; "
              "test -d /home/muster-user/work && test -x /bin/sh && ls -d /proc/self && "
              "echo $$ > /home/muster-user/pid; readlink /proc/self/root; pwd"});
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto record = bench.Record(0);
  EXPECT_EQ(EndOf(record, 0).how, ExitClass::kSucceeded) << bench.Text(0, "rank0.log");
  if (!os::MachineAllowsMounts()) GTEST_SKIP() << "this user can make no mounts";
  ASSERT_TRUE(HasView(record));
  EXPECT_EQ(bench.Text(0, "rank0.log"),
            fmt::format("two\n/proc/self\n/\n{}\n", order.ranks[0].cwd));
  EXPECT_THAT(bench.Text(0, "home/pid"), Not(testing::IsEmpty()));
  for (const std::string& path :
       {std::string("/muster-cache"), std::string("/home/muster-user"), "/" + shared, LinkName()})
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path))) << path;
  EXPECT_FALSE(std::filesystem::exists(bench.NodeDir(0) / "cache")) << "scratch ends with its job";
  EXPECT_FALSE(std::filesystem::exists(bench.NodeDir(0) / shared));
  EXPECT_FALSE(std::filesystem::exists(bench.NodeDir(0) / "root"));
}

TEST(PlatformTest, FolderOfTheJobStaysVisibleThroughALinkIntoAHiddenFolder) {
  LaunchBench bench;
  const std::string link = fmt::format("/var/tmp/muster-view-{}", getpid());
  std::filesystem::create_directory_symlink(bench.attempt_dir(), link);
  NodeOrder order = OnPlatform(bench, {"cat /muster-cache/seen; pwd -P"});
  order.pre_start = PreStart{
      .name = "setup", .text = "echo \"$1\" > /muster-cache/seen; test -d \"$1\"", .words = {link}};
  order.view->keep = {link};
  bench.Launch(order);
  bench.WaitLauncher(0);
  std::filesystem::remove(link);
  EXPECT_EQ(EndOf(bench.Record(0), 0).how, ExitClass::kSucceeded) << bench.Text(0, "hooks.log");
}

TEST(PlatformTest, ViewThatWouldHideTheJobIsNotEntered) {
  LaunchBench bench;
  NodeOrder order = OnPlatform(bench, {"echo went on"});
  order.view->keep.clear();  // the test folder is below /tmp
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_EQ(bench.Text(0, "rank0.log"), "went on\n");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(LinkName())));
  EXPECT_THAT(Lines<LauncherBegan>(bench.Record(0)).at(0).notes, Not(testing::IsEmpty()));
}

TEST(PlatformTest, RemainingProcessesInAViewAreKilled) {
  LaunchBench bench;
  bench.Launch(OnPlatform(bench, {"setsid sleep 1000 & echo begun; exit 3"}));
  bench.WaitLauncher(0);
  EXPECT_EQ(EndOf(bench.Record(0), 0).code, 3);
  EXPECT_EQ(bench.Marked(0), 0);
}

TEST(PlatformTest, ExportsOfThePreStartScriptReachRanks) {
  LaunchBench bench;
  NodeOrder order = OnPlatform(bench, {"echo \"$GREETING|$PLACE|$KEPT\""});
  order.env.emplace_back("KEPT", "before");
  order.pre_start = PreStart{.name = "ma-pre-start.sh",
                             .text = "export GREETING='a \"b\"' PLACE=\"$1\" KEPT=after\n",
                             .words = {"/home/muster-user/it's"}};
  bench.Launch(order);
  bench.WaitLauncher(0);
  EXPECT_THAT(bench.Text(0, "rank0.log"), HasSubstr("a \"b\"|"));
  EXPECT_THAT(bench.Text(0, "rank0.log"), HasSubstr("/it's|after\n"));
}

TEST(PlatformTest, FailedPreStartScriptIsReportedWithItsCode) {
  LaunchBench bench;
  NodeOrder order = OnPlatform(bench, {"echo never"});
  order.pre_start = PreStart{.name = "ma-pre-start.sh", .text = "exit 5\n", .words = {}};
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto failed = Lines<NodeFailed>(bench.Record(0));
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].what, "ma-pre-start.sh on node-0 exited with code 5");
  EXPECT_EQ(failed[0].exit.code, 5);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(0)).empty());
}

TEST(PlatformTest, MissingBootFileIsReportedBeforeTheStart) {
  LaunchBench bench;
  NodeOrder order = OnPlatform(bench, {"echo never"});
  order.boot_file = "/home/muster-user/work/train.py";
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto failed = Lines<NodeFailed>(bench.Record(0));
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_THAT(failed[0].what, HasSubstr("train.py is missing: check `run` and the code folder"));
  EXPECT_EQ(failed[0].exit.code, 127);
  EXPECT_TRUE(Lines<RankStarted>(bench.Record(0)).empty());
}

TEST(PlatformTest, FailedCodeFetchEndsWithTheExitCodeOfThePlatform) {
  LaunchBench bench;
  NodeOrder order = OnPlatform(bench, {"echo never"});
  order.code_dir = "/nowhere/code";
  bench.Launch(order);
  bench.WaitLauncher(0);
  const auto failed = Lines<NodeFailed>(bench.Record(0));
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].exit.code, 127);
}

}  // namespace
}  // namespace muster::launcher
