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

// For tests: the folder of an attempt, and real launchers in child processes that work on it.
// Whatever a test leaves running is killed with the bench.
class LaunchBench {
 public:
  LaunchBench();
  ~LaunchBench();

  // The order of a node whose ranks run these shell texts; not written yet. Ranks count over all
  // nodes in the order of the calls.
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

  // Waits until `enough` holds for the node's record; the lines are looked at after every change.
  // Fails the test when that takes 30 s.
  std::vector<RecordLine> WaitRecord(
      int node, const std::function<bool(const std::vector<RecordLine>&)>& enough);
  // Until a line of type T is there (the n-th).
  template <typename T>
  std::vector<RecordLine> WaitFor(int node, size_t count = 1);
  // Launches one node with these texts and waits for its end.
  std::vector<RecordLine> RunToEnd(const std::vector<std::string>& texts);

  std::vector<RecordLine> Record(int node) const;
  std::string Text(int node, const std::string& file) const;  // of a file in the node's folder
  // Waits until the file has this text in it; in the short form, the file in the node's folder.
  void WaitText(const os::Path& path, const std::string& part) const;
  void WaitText(int node, const std::string& file, const std::string& part) const {
    WaitText(NodeDir(node) / file, part);
  }
  os::Path NodeDir(int node) const;
  const os::Path& attempt_dir() const { return attempt_dir_; }
  // Living processes with the node's mark.
  int Marked(int node) const;

 private:
  std::string WaitFile(const os::Path& path,
                       const std::function<bool(const std::string&)>& enough) const;

  os::TempDir dir_;
  os::Path attempt_dir_;  // with a name longer than the path of a socket may be
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

// The exit report of a rank; the test fails when there is none, or more than one.
ExitReport EndOf(const std::vector<RecordLine>& record, int rank);

template <typename T>
std::vector<RecordLine> LaunchBench::WaitFor(int node, size_t count) {
  return WaitRecord(node, [count](const auto& lines) { return Lines<T>(lines).size() >= count; });
}

}  // namespace muster::launcher
