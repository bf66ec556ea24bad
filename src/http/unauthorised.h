#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace muster::http {

class Connection;

// The connections of a server that have sent no authorised request yet, by the address of their
// peers. Their number per address is limited: a new connection above the limit takes the place of
// the oldest one, so that a program that only opens connections cannot keep the programs of other
// users out, which mostly have the same address. A connection younger than `grace` is never closed:
// its request may be on the way. Not thread-safe; on the server's loop.
class UnauthorisedConnections {
 public:
  using Time = std::chrono::steady_clock::time_point;

  UnauthorisedConnections(size_t most_per_address, std::chrono::milliseconds grace)
      : most_per_address_(most_per_address), grace_(grace) {}

  void Add(Connection& connection, const std::string& address, Time now);
  // It sent an authorised request, or was closed. Without effect on others.
  void Remove(const Connection& connection);
  bool Has(const Connection& connection) const { return numbers_.contains(&connection); }

  // Removes and returns the connection to close because its address has too many; null: none.
  Connection* TakeAboveLimit(const std::string& address, Time now);
  // Removes and returns the connection to close for a new one of any address; null: none.
  Connection* TakeOldest(Time now);

 private:
  struct Entry {
    Connection* connection;
    std::string address;
    Time since;
  };
  Connection* Take(uint64_t number, Time now);

  const size_t most_per_address_;
  const std::chrono::milliseconds grace_;
  uint64_t next_ = 0;
  std::map<uint64_t, Entry> entries_;  // the oldest first
  std::unordered_map<const Connection*, uint64_t> numbers_;
  std::unordered_map<std::string, std::set<uint64_t>> of_address_;
};

}  // namespace muster::http
