#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engines/engine.h"
#include "engines/local/node_watch.h"
#include "engines/local/nursery.h"
#include "engines/local/port_book.h"
#include "os/file_watch.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::engines {

// The embedded engine: this machine, or virtual nodes on it. Launchers are processes of their own
// that outlive the server; everything known of them is read from their records.
class LocalEngine final : public Engine {
 public:
  struct Parts {
    os::Loop& loop;
    os::Pool& pool;
    os::FileWatch& files;
    std::vector<NodeInfo> nodes;
    std::string muster;  // the executable that launches
  };
  explicit LocalEngine(Parts parts);
  ~LocalEngine() override;

  void SetEvents(EngineEvents* events) override { events_ = events; }
  std::vector<NodeInfo> Nodes() const override { return parts_.nodes; }
  Result<std::vector<int>> ReservePorts(const AttemptRef& attempt, const std::string& node,
                                        int count) override;
  Result<std::vector<int>> ReserveCommonPorts(const AttemptRef& attempt,
                                              const std::vector<std::string>& nodes,
                                              int count) override;
  void ReservePorts(const AttemptRef& attempt, const Allocation& known) override;
  void Release(const AttemptRef& attempt) override;
  Status Start(const AttemptRef& attempt, const std::vector<NodeOrder>& orders) override;
  Status Recover(const AttemptRef& attempt, const std::vector<NodeStatus>& nodes,
                 const std::vector<NodeOrder>& orders) override;
  Status Stop(const AttemptRef& attempt, const ControlLine& why) override;
  void ConfirmClean(const AttemptRef& attempt) override;
  Result<Inspection> Inspect(const AttemptRef& attempt, int node) override;

 private:
  Status StartNode(const AttemptRef& attempt, const NodeOrder& order);
  NodeWatch& Watch(const AttemptRef& attempt, int node, int64_t offset);
  Result<std::string> AddressOf(const std::string& node) const;

  Parts parts_;
  EngineEvents* events_ = nullptr;
  Nursery nursery_;
  PortBook ports_;
  std::map<std::pair<std::string, int>, std::unique_ptr<NodeWatch>> watches_;  // token, node
  std::vector<std::unique_ptr<NodeWatch>> released_;                           // done with
  std::shared_ptr<bool> here_ = std::make_shared<bool>(true);  // for what is posted to the loop
};

}  // namespace muster::engines
