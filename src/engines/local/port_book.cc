#include "engines/local/port_book.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::engines {

int PortBook::Next() {
  const int port = next_;
  next_ = next_ == last_ ? first_ : next_ + 1;
  return port;
}

bool PortBook::IsFree(const std::set<std::string>& addresses, int port) const {
  return !held_.contains(port) && std::ranges::all_of(addresses, [&](const std::string& address) {
    return probe_(address, port);
  });
}

Result<std::vector<int>> PortBook::ReserveRun(const std::string& owner,
                                              const std::set<std::string>& addresses, int count) {
  std::vector<int> run;
  // A run may begin with the last port that is looked at: the round goes on until it is complete.
  for (int looked = 0; int(run.size()) < count && looked <= last_ - first_ + count; ++looked) {
    const int port = Next();
    if (!run.empty() && port != run.back() + 1) run.clear();  // back at the first port
    if (IsFree(addresses, port)) {
      run.push_back(port);
    } else {
      run.clear();
    }
  }
  if (int(run.size()) < count) {
    return Fail(Code::kUnavailable,
                fmt::format("no {} consecutive ports between {} and {} are free on all {} nodes of "
                            "the job: {} ports are held by running jobs",
                            count, first_, last_, addresses.size(), held_.size()),
                "stop a job, or see with 'ss -ltnp' what else listens there");
  }
  Hold(owner, run);
  return run;
}

Result<std::vector<int>> PortBook::Reserve(const std::string& owner, const std::string& address,
                                           int count) {
  std::vector<int> ports;
  for (int looked = 0; int(ports.size()) < count && looked <= last_ - first_; ++looked) {
    const int port = Next();
    if (IsFree({address}, port)) ports.push_back(port);
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
