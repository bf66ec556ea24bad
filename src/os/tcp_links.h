#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::os {

// An established connection in /proc/net/tcp or tcp6, each end as "address:port" in the kernel's
// hexadecimal form; IPv4-mapped addresses are converted to IPv4.
struct TcpRow {
  std::string local, remote;
  uint64_t inode = 0;
};

// Rows that cannot be parsed are omitted.
std::vector<TcpRow> ParseTcpTable(std::string_view text);

// Pairs of these processes that hold the two ends of one connection, each pair once. Root sees all
// processes, other users only their own.
std::vector<std::pair<pid_t, pid_t>> TcpLinks(const std::vector<pid_t>& pids);

}  // namespace muster::os
