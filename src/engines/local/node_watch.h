#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/local/nursery.h"
#include "os/file_watch.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::engines {

// Follows one node of one attempt: its record by offset, and its launcher's life. A launcher that
// dies without its last word is reported lost after its leftovers were swept away. On the loop.
class NodeWatch {
 public:
  struct Parts {
    os::Loop& loop;
    os::Pool& pool;
    os::FileWatch& files;
    Nursery& nursery;  // gets launchers back
    EngineEvents* events;
  };
  NodeWatch(Parts parts, AttemptRef attempt, int node, int64_t offset);
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  // A launcher that was just given the order of this node.
  void Launched(Launcher launcher);
  // A launcher that may be alive or dead, known by its record only.
  void Adopt();
  // A launcher that a rank (or a person) has stopped goes on: it has something to do.
  void Wake() const;
  // The launcher could not even be started.
  void CouldNotStart(const std::string& why);

 private:
  void ReadRecord();
  void TrackLauncher();
  void Track(Launcher launcher);
  void OnLauncherGone(os::Loop::Id watch);
  void DecideFate(int tries);
  void SweepAndReportLost(const std::string& why);
  void SayLastWord();
  std::string NodeDir() const;

  Parts parts_;
  AttemptRef attempt_;
  int node_;
  int64_t offset_;
  bool over_ = false;                    // last word heard, or reported lost
  std::optional<RecordLine> last_word_;  // heard, but its launcher is still on its way out
  std::optional<LauncherBegan> began_;
  // Launchers that live as far as we know. Two when a start was repeated: the second finds the
  // record and leaves.
  struct Tracked {
    Launcher launcher;
    os::Loop::Id watch = 0;
  };
  std::vector<Tracked> tracked_;
  os::Loop::Id timer_ = 0;
  os::FileWatch::Id record_watch_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what the pool posts back
};

}  // namespace muster::engines
