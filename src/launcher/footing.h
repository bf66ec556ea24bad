#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/order.h"
#include "os/fd.h"

namespace muster::launcher {

// The identity that a launcher process has acquired: none, or a virtual node. Becoming a virtual
// node takes longer than a short job, so such a process serves further orders of the same node, as
// long as no rank has changed its namespaces or its hosts file.
class Footing {
 public:
  Footing();

  // Makes the process the node of the order, unless it is already. What the machine does not permit
  // is returned as notes for the record. Precondition: the order fits.
  std::vector<std::string> Take(const NodeOrder& order);
  bool Fits(const NodeOrder& order) const;
  // Whether another order of the same node would find the process unchanged.
  bool Holds() const;

  // Values that are equal for all orders, determined once.
  // The name of the machine, not that of a virtual node.
  const std::string& machine() const { return machine_; }
  uint64_t start_ticks() const { return start_ticks_; }  // of this process
  const std::string& boot() const { return boot_; }      // os::BootIdentity
  std::string packages;  // the folder of companions that an earlier order found complete

 private:
  const std::string machine_;
  const uint64_t start_ticks_;
  const std::string boot_;
  std::string ground_;             // from GroundOf; empty if none
  bool whole_ = true;              // the machine permitted everything
  std::string host_, hosts_file_;  // their state when the identity was acquired
  os::Fd mounts_;                  // detects mounts and unmounts since then
};

}  // namespace muster::launcher
