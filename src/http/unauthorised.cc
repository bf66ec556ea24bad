#include "http/unauthorised.h"

namespace muster::http {

void UnauthorisedConnections::Add(Connection& connection, const std::string& address, Time now) {
  const uint64_t number = next_++;
  entries_.emplace(number, Entry{&connection, address, now});
  numbers_.emplace(&connection, number);
  of_address_[address].insert(number);
}

void UnauthorisedConnections::Remove(const Connection& connection) {
  const auto found = numbers_.find(&connection);
  if (found == numbers_.end()) return;
  const auto entry = entries_.find(found->second);
  const auto same = of_address_.find(entry->second.address);
  same->second.erase(found->second);
  if (same->second.empty()) of_address_.erase(same);
  entries_.erase(entry);
  numbers_.erase(found);
}

Connection* UnauthorisedConnections::Take(uint64_t number, Time now) {
  const Entry& entry = entries_.at(number);
  if (now - entry.since < grace_) return nullptr;
  Connection* connection = entry.connection;
  Remove(*connection);
  return connection;
}

Connection* UnauthorisedConnections::TakeAboveLimit(const std::string& address, Time now) {
  const auto same = of_address_.find(address);
  if (same == of_address_.end() || same->second.size() <= most_per_address_) return nullptr;
  return Take(*same->second.begin(), now);
}

Connection* UnauthorisedConnections::TakeOldest(Time now) {
  return entries_.empty() ? nullptr : Take(entries_.begin()->first, now);
}

}  // namespace muster::http
