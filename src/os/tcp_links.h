#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::os {

// One established connection as /proc/net/tcp and tcp6 show it, each end as "address:port" in the
// kernel's own hexadecimal; an IPv4 address within IPv6 is shown as what it is.
struct TcpRow {
  std::string local, remote;
  uint64_t inode = 0;
};

// Rows that cannot be understood are left out.
std::vector<TcpRow> ParseTcpTable(std::string_view text);

// Pairs of these processes that hold the two ends of one connection, each pair once. Sees what the
// caller may see: its own processes, all of them for root.
std::vector<std::pair<pid_t, pid_t>> TcpLinks(const std::vector<pid_t>& pids);

}  // namespace muster::os
