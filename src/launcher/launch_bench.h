#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/order.h"
#include "model/record.h"
#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::launcher {

// For tests: the folder of an attempt, and real launchers in child processes that run it. The
// destructor kills all remaining processes.
class LaunchBench {
 public:
  LaunchBench();
  ~LaunchBench();

  // The order of a node whose ranks run these shell commands; not written yet. Ranks are numbered
  // over all nodes in the order of the calls.
  NodeOrder Order(int node, const std::vector<std::string>& texts, int node_count = 1);
  RankOrder Rank(int rank, const std::string& text) const;

  // Writes the order and forks a launcher for it.
  void Launch(const NodeOrder& order);
  void LaunchAgain(int node);
  // The exit code of the launcher, or -signal.
  int WaitLauncher(int node);
  void KillLauncher(int node);
  pid_t launcher(int node) const { return launchers_.at(node); }
  void Tell(const ControlLine& line) const;

  // Waits until `enough` is true for the record of the node; checked after every change. Fails the
  // test after 30 s.
  std::vector<RecordLine> WaitRecord(
      int node, const std::function<bool(const std::vector<RecordLine>&)>& enough);
  // Waits for the n-th line of type T.
  template <typename T>
  std::vector<RecordLine> WaitFor(int node, size_t count = 1);
  // Launches a node with these commands and waits for its end.
  std::vector<RecordLine> RunToEnd(const std::vector<std::string>& texts);

  std::vector<RecordLine> Record(int node) const;
  // The content of a file in the node's folder.
  std::string Text(int node, const std::string& file) const;
  // Waits until the file contains the text; the short form takes a file in the node's folder.
  void WaitText(const os::Path& path, const std::string& part) const;
  void WaitText(int node, const std::string& file, const std::string& part) const {
    WaitText(NodeDir(node) / file, part);
  }
  os::Path NodeDir(int node) const;
  const os::Path& attempt_dir() const { return attempt_dir_; }
  // The number of living processes with the mark of the node.
  int Marked(int node) const;

 private:
  std::string WaitFile(const os::Path& path,
                       const std::function<bool(const std::string&)>& enough) const;

  os::TempDir dir_;
  os::Path attempt_dir_;  // longer than the path limit of unix sockets
  std::string token_;
  int next_rank_ = 0;
  std::map<int, pid_t> launchers_;
};

// The bodies of one type, in order.
template <typename T>
std::vector<T> Lines(const std::vector<RecordLine>& record) {
  std::vector<T> found;
  for (const auto& line : record)
    if (const auto* body = std::get_if<T>(&line.body)) found.push_back(*body);
  return found;
}

// The exit report of a rank; fails the test unless there is exactly one.
ExitReport EndOf(const std::vector<RecordLine>& record, int rank);

template <typename T>
std::vector<RecordLine> LaunchBench::WaitFor(int node, size_t count) {
  return WaitRecord(node, [count](const auto& lines) { return Lines<T>(lines).size() >= count; });
}

}  // namespace muster::launcher
