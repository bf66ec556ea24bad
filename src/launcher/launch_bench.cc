#include "launcher/launch_bench.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "launcher/launcher.h"
#include "os/epoll_loop.h"
#include "os/file_watch.h"
#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::launcher {
namespace {

constexpr int64_t kPatienceMs = 30'000;
constexpr int64_t kLookMs = 20;
constexpr int64_t kJob = 7;

}  // namespace

LaunchBench::LaunchBench() : attempt_dir_(dir_ / std::string(120, 'a')), token_(os::RandomHex(16)) {
  EXPECT_TRUE(os::MakeDirs(attempt_dir_));
}

LaunchBench::~LaunchBench() {
  for (const auto& [node, pid] : launchers_) {
    if (pid > 0) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    os::SweepNow(os::NodeGroupName(kJob, 1, node, token_), os::NodeMark(token_, node), 10'000);
  }
}

os::Path LaunchBench::NodeDir(int node) const { return attempt_dir_ / fmt::format("node{}", node); }

RankOrder LaunchBench::Rank(int rank, const std::string& text) const {
  RankOrder order;
  order.rank = rank;
  order.role = "worker";
  order.argv = {"/bin/sh", "-c", text};
  order.env = {{"RANK", std::to_string(rank)}};
  return order;
}

NodeOrder LaunchBench::Order(int node, const std::vector<std::string>& texts, int node_count) {
  NodeOrder order;
  order.job = kJob;
  order.token = token_;
  order.node = node;
  order.node_count = node_count;
  order.node_name = fmt::format("node-{}", node);
  order.attempt_dir = attempt_dir_;
  order.dir = NodeDir(node);
  order.work_dir = order.dir + "/work";
  Hosts hosts;
  for (int i = 0; i < node_count; ++i)
    hosts.emplace_back(fmt::format("127.77.0.{}", i + 1), fmt::format("node-{}", i));
  order.hosts = std::move(hosts);
  for (const auto& text : texts) {
    order.ranks.push_back(Rank(next_rank_++, text));
    order.ranks.back().cwd = order.work_dir;
  }
  return order;
}

void LaunchBench::Launch(const NodeOrder& order) {
  ASSERT_TRUE(os::MakeDirs(order.dir));
  ASSERT_TRUE(os::WriteFileAtomic(order.dir + "/order.json", ToPrettyJson(ToJsonObject(order)),
                                  0644, false));
  LaunchAgain(order.node);
}

void LaunchBench::LaunchAgain(int node) {
  const os::Path dir = NodeDir(node);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const int log = open((dir / "launcher.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(log, STDERR_FILENO);
    _exit(RunLauncher(dir));
  }
  launchers_[node] = pid;
}

int LaunchBench::WaitLauncher(int node) {
  int status = 0;
  waitpid(launchers_.at(node), &status, 0);
  launchers_[node] = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void LaunchBench::KillLauncher(int node) {
  kill(launchers_.at(node), SIGKILL);
  EXPECT_EQ(WaitLauncher(node), -SIGKILL);
}

void LaunchBench::Tell(const ControlLine& line) const {
  auto file = os::Open(attempt_dir_ / "control", O_WRONLY | O_CREAT | O_APPEND);
  ASSERT_TRUE(file);
  ASSERT_TRUE(os::WriteAll(file->get(), EncodeControlLine(line)));
}

std::string LaunchBench::WaitFile(const os::Path& path,
                                  const std::function<bool(const std::string&)>& enough) const {
  os::EpollLoop loop;
  os::FileWatch watch(loop);
  std::string text;
  const auto look = [&] {
    text = os::ReadFile(path, 1 << 30).value_or("");
    if (enough(text)) loop.Stop();
  };
  watch.Add(path, look);
  // Kernel files change without inotify events, and a missing folder cannot be watched.
  const std::function<void()> again = [&] {
    look();
    loop.After(kLookMs, again);
  };
  loop.Post(again);
  loop.After(kPatienceMs, [&] {
    ADD_FAILURE() << path << " did not come that far:\n" << text.substr(0, 5000);
    loop.Stop();
  });
  EXPECT_TRUE(loop.Run());
  return text;
}

std::vector<RecordLine> LaunchBench::WaitRecord(
    int node, const std::function<bool(const std::vector<RecordLine>&)>& enough) {
  const auto text = WaitFile(NodeDir(node) / "record", [&](const std::string& now) {
    const auto part = DecodeRecord(now);
    return part && enough(part->lines);
  });
  const auto part = DecodeRecord(text);
  EXPECT_TRUE(part);
  return part ? part->lines : std::vector<RecordLine>();
}

std::vector<RecordLine> LaunchBench::RunToEnd(const std::vector<std::string>& texts) {
  Launch(Order(0, texts));
  EXPECT_EQ(WaitLauncher(0), 0);
  return Record(0);
}

std::vector<RecordLine> LaunchBench::Record(int node) const {
  const auto text = os::ReadFile(NodeDir(node) / "record");
  const auto part = DecodeRecord(text.value_or(""));
  EXPECT_TRUE(part);
  return part ? part->lines : std::vector<RecordLine>();
}

std::string LaunchBench::Text(int node, const std::string& file) const {
  return os::ReadFile(NodeDir(node) / file, 1 << 30).value_or("(missing)");
}

void LaunchBench::WaitText(const os::Path& path, const std::string& part) const {
  WaitFile(path, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

int LaunchBench::Marked(int node) const {
  return int(os::ProcessesMarked(os::NodeMark(token_, node)).size());
}

ExitReport EndOf(const std::vector<RecordLine>& record, int rank) {
  std::vector<ExitReport> found;
  for (const auto& ended : Lines<RankEnded>(record))
    if (ended.rank == rank) found.push_back(ended.exit);
  EXPECT_EQ(found.size(), 1u) << "ends of rank " << rank;
  return found.empty() ? ExitReport() : found.front();
}

}  // namespace muster::launcher
