#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/local/node_audit.h"
#include "engines/local/nursery.h"
#include "os/file_watch.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::engines {

// Follows one node of one attempt: its record by offset, and its launcher's life. On the loop.
//
// The record says how ranks ended. It does not decide whether the node is clean: every process of
// the job can write into it. A node has ended when its launcher said so on its line, which no rank
// has, or when the launcher is gone and an audit (node_audit.h) found nothing of the job. A
// launcher that died is reported lost after its leftovers were killed; where nothing proves that
// none is left, the node is reported as unproven, and stays so until a proof or a confirmation.
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
  // A launcher that may be alive or dead, known by its record and by what the journal has.
  void Adopt(const NodeStatus& known);
  // A launcher that a rank (or a person) has stopped goes on: it has something to do.
  void Wake() const;
  // The launcher could not even be started.
  void CouldNotStart(const std::string& why);
  // A user has looked: nothing is left of a node that was reported as unproven. Else no effect.
  void ConfirmClean();

 private:
  void ReadRecord();
  void TrackLauncher();
  void Track(Launcher launcher);
  void OnLauncherGone(os::Loop::Id watch);
  void DecideFate(int tries);
  void TakeLine(const RecordLine& line, int64_t base);
  void SayLastWord();
  void DeliverLastWord();
  void StartAudit();
  void OnAudit(const Audit& audit);
  bool NeverBegan() const { return !began_ && !known_.began; }
  bool MachineWasRestarted() const;
  void ReportUnproven();
  void ReportLost(const NodeClean& clean);
  void Retry(int64_t ms, void (NodeWatch::*step)());
  std::string WhyLost() const;
  std::string NodeDir() const;
  std::string RecordPath() const { return NodeDir() + "/record"; }

  Parts parts_;
  AttemptRef attempt_;
  int node_;
  int64_t offset_;
  NodeStatus known_;                     // by the journal, of an adopted launcher
  bool over_ = false;                    // the end of the node was reported
  bool said_done_ = false;               // by the launcher, or by its supervisor
  bool auditing_ = false;                // on the pool
  bool unproven_ = false;                // reported so
  bool outlived_ = false;                // the launcher, by processes that an audit met
  int audits_ = 0;                       // that proved nothing
  std::optional<RecordLine> last_word_;  // the record's last line, if it ends the record
  std::optional<LauncherBegan> began_;   // the record's first line
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
