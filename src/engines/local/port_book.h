#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::engines {

// The ports of this machine that attempts hold. Ranks bind to all addresses whatever they are told,
// so a port is held for the whole machine and not for one virtual node. The range lies below the
// kernel's ephemeral ports, so no outgoing connection takes one by chance.
class PortBook {
 public:
  using Probe = std::function<bool(const std::string& address, int port)>;  // true: free now
  // `start` moves the first port tried: servers beside each other on one machine know nothing of
  // one another, and a rank binds its port only seconds after it was given.
  explicit PortBook(Probe probe, int first = 20000, int last = 29999, uint32_t start = 0)
      : probe_(std::move(probe)),
        first_(first),
        last_(last),
        next_(first + int(start % uint32_t(last - first + 1))) {}

  // `count` ports free at `address` now, held for `owner` until Release.
  Result<std::vector<int>> Reserve(const std::string& owner, const std::string& address, int count);
  // `count` consecutive ports, each free at all of `addresses` now, held as above.
  Result<std::vector<int>> ReserveRun(const std::string& owner,
                                      const std::set<std::string>& addresses, int count);
  void Hold(const std::string& owner, const std::vector<int>& ports);  // after a restart
  void Release(const std::string& owner);
  size_t held() const { return held_.size(); }

 private:
  int Next();  // the port to try now
  bool IsFree(const std::set<std::string>& addresses, int port) const;

  Probe probe_;
  int first_, last_, next_;  // next_ goes round, so that a port just given back rests for a while
  std::set<int> held_;
  std::map<std::string, std::vector<int>> by_owner_;
};

}  // namespace muster::engines
