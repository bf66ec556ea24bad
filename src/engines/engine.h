#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/allocation.h"
#include "model/job.h"
#include "model/order.h"
#include "model/record.h"

namespace muster::engines {

// Names one attempt and where everything about it is kept.
struct AttemptRef {
  JobId job = 0;
  int attempt = 0;
  std::string token;
  std::string dir;  // …/jobs/<id>/attempts/<n>
};

// What an engine tells; called on the server's loop, in the order of each node's record.
class EngineEvents {
 public:
  virtual ~EngineEvents() = default;
  // `end_offset` is where the record stands after this line: hand it back to Recover.
  virtual void OnRecord(const AttemptRef& attempt, int node, const RecordLine& line,
                        int64_t end_offset) = 0;
  // The launcher of this node never began (spawn failed), or died without its last word and its
  // leftovers were swept away; `clean` proves it. Called once for a node, after every OnRecord.
  virtual void OnNodeLost(const AttemptRef& attempt, int node, const std::string& why,
                          const NodeClean& clean) = 0;
  // The launcher died, and nothing proves that no process of it is left. OnNodeLost follows when
  // that is proven after all, or when ConfirmClean is called. Called once for a node.
  virtual void OnNodeUnproven(const AttemptRef& attempt, int node, const std::string& why) = 0;
};

// What every engine can do. All methods run on the server's loop and return soon; what happens
// later is told through EngineEvents. contract_test.h holds the suite that every engine passes.
class Engine {
 public:
  virtual ~Engine() = default;
  // Must be called once before anything else.
  virtual void SetEvents(EngineEvents* events) = 0;

  // The machines offered now, in placement order.
  virtual std::vector<NodeInfo> Nodes() const = 0;
  // `count` ports free on `node` now and not given out; reserved until Release of the attempt.
  virtual Result<std::vector<int>> ReservePorts(const AttemptRef& attempt, const std::string& node,
                                                int count) = 0;
  // `count` consecutive ports, each free on all of `nodes` now; reserved as above.
  virtual Result<std::vector<int>> ReserveCommonPorts(const AttemptRef& attempt,
                                                      const std::vector<std::string>& nodes,
                                                      int count) = 0;
  virtual void ReservePorts(const AttemptRef& attempt, const Allocation& known) = 0;  // on recovery
  virtual void Release(const AttemptRef& attempt) = 0;

  // Writes the orders and starts a launcher a node. The attempt must be journaled before. Starting
  // an attempt twice starts nothing twice: a launcher that finds its record leaves.
  virtual Status Start(const AttemptRef& attempt, const std::vector<NodeOrder>& orders) = 0;
  // After a restart of the server: takes up an attempt that may or may not have been started, and
  // goes on from each node's record offset. A node without a record is started with its order.
  virtual Status Recover(const AttemptRef& attempt, const std::vector<NodeStatus>& nodes,
                         const std::vector<NodeOrder>& orders) = 0;
  // Asks every node to stop; repeated calls are harmless. Told done by NodeClean and LauncherEnded.
  virtual Status Stop(const AttemptRef& attempt, const ControlLine& why) = 0;

  // A user has looked: nothing is left on the nodes that were reported as unproven.
  virtual void ConfirmClean(const AttemptRef& attempt) = 0;

  // What is true of a node right now, asked of the node and not of the journal.
  struct Inspection {
    bool has_record = false;
    bool launcher_alive = false;
    int processes = 0;  // living processes of the attempt on this node, the launcher left out
  };
  virtual Result<Inspection> Inspect(const AttemptRef& attempt, int node) = 0;
};

}  // namespace muster::engines
