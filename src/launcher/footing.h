#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/order.h"
#include "os/fd.h"

namespace muster::launcher {

// What a launcher's process has become by the orders that it carried out: nothing yet, or a virtual
// node. To become one takes longer than a short job, so that a process which is one serves further
// orders of the same ground, as long as no rank has changed what it stands on.
class Footing {
 public:
  Footing();

  // Makes the process what the order asks for, unless it is that already. What the machine does not
  // allow is returned as notes for the record. The order must fit.
  std::vector<std::string> Take(const NodeOrder& order);
  bool Fits(const NodeOrder& order) const;
  // Whether another order of the same ground finds the process as this one did.
  bool Holds() const;

  // What is the same for all orders, found out once.
  const std::string& machine() const { return machine_; }  // its name, not that of a virtual node
  uint64_t start_ticks() const { return start_ticks_; }    // of this process
  const std::string& boot() const { return boot_; }        // os::BootIdentity
  std::string packages;  // the folder of companions that an order before found whole

 private:
  const std::string machine_;
  const uint64_t start_ticks_;
  const std::string boot_;
  std::string ground_;             // of GroundOf; empty: none taken
  bool whole_ = true;              // the machine allowed all of it
  std::string host_, hosts_file_;  // as they were found when it was taken
  os::Fd mounts_;                  // tells when something was mounted or unmounted since
};

}  // namespace muster::launcher
