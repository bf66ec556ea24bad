#include "engines/local/port_book.h"

#include <fmt/format.h>

namespace muster::engines {

Result<std::vector<int>> PortBook::Reserve(const std::string& owner, const std::string& address,
                                           int count) {
  std::vector<int> ports;
  for (int looked = 0; int(ports.size()) < count && looked <= last_ - first_; ++looked) {
    const int port = next_;
    next_ = next_ == last_ ? first_ : next_ + 1;
    if (!held_.contains(port) && probe_(address, port)) ports.push_back(port);
  }
  if (int(ports.size()) < count) {
    return Fail(Code::kUnavailable,
                fmt::format("no {} free ports at {} between {} and {}: {} are held by running jobs",
                            count, address, first_, last_, held_.size()),
                "stop a job, or see with 'ss -ltnp' what else listens there");
  }
  Hold(owner, ports);
  return ports;
}

void PortBook::Hold(const std::string& owner, const std::vector<int>& ports) {
  held_.insert(ports.begin(), ports.end());
  auto& mine = by_owner_[owner];
  mine.insert(mine.end(), ports.begin(), ports.end());
}

void PortBook::Release(const std::string& owner) {
  const auto found = by_owner_.find(owner);
  if (found == by_owner_.end()) return;
  for (int port : found->second) held_.erase(port);
  by_owner_.erase(found);
}

}  // namespace muster::engines
