#include "os/tcp_links.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "os/file.h"

namespace muster::os {
namespace {

constexpr std::string_view kEstablished = "01";
constexpr std::string_view kMapped = "0000000000000000FFFF0000";  // IPv4 mapped into IPv6
constexpr int64_t kLargestTable = 64 << 20;

std::string PlainEnd(std::string_view end) {
  if (end.starts_with(kMapped)) end.remove_prefix(kMapped.size());
  return std::string(end);
}

std::vector<std::string> Fields(std::string_view line) {
  std::vector<std::string> fields = Split(line, ' ');
  std::erase(fields, "");
  return fields;
}

// The socket inodes of a process.
std::vector<uint64_t> SocketsOf(pid_t pid) {
  constexpr std::string_view kPrefix = "socket:[";
  std::vector<uint64_t> inodes;
  std::error_code error;
  const Path folder = fmt::format("/proc/{}/fd", pid);
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;  // descriptors may close during the iteration
    const std::string target = std::filesystem::read_symlink(it->path(), gone).string();
    if (gone || !target.starts_with(kPrefix) || !target.ends_with(']')) continue;
    const auto inode = ParseInt(
        std::string_view(target).substr(kPrefix.size(), target.size() - kPrefix.size() - 1));
    if (inode) inodes.push_back(uint64_t(*inode));
  }
  return inodes;
}

}  // namespace

std::vector<TcpRow> ParseTcpTable(std::string_view text) {
  constexpr size_t kLocal = 1, kRemote = 2, kState = 3, kInode = 9;
  std::vector<TcpRow> rows;
  for (const std::string& line : Split(text, '\n')) {
    const std::vector<std::string> fields = Fields(line);
    if (fields.size() <= kInode || fields[kState] != kEstablished) continue;
    const auto inode = ParseInt(fields[kInode]);
    if (!inode || *inode <= 0) continue;
    rows.push_back({PlainEnd(fields[kLocal]), PlainEnd(fields[kRemote]), uint64_t(*inode)});
  }
  return rows;
}

std::vector<std::pair<pid_t, pid_t>> TcpLinks(const std::vector<pid_t>& pids) {
  std::map<uint64_t, pid_t> owners;
  size_t with_sockets = 0;
  for (const pid_t pid : pids) {
    const auto sockets = SocketsOf(pid);
    if (!sockets.empty()) ++with_sockets;
    for (const uint64_t inode : sockets) owners.emplace(inode, pid);
  }
  if (with_sockets < 2) return {};  // the tables of a busy machine take milliseconds to read
  std::map<std::pair<std::string, std::string>, pid_t> ends;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"})
    for (TcpRow& row : ParseTcpTable(ReadFile(table, kLargestTable).value_or("")))
      if (const auto owner = owners.find(row.inode); owner != owners.end())
        ends[{std::move(row.local), std::move(row.remote)}] = owner->second;
  std::set<std::pair<pid_t, pid_t>> links;
  for (const auto& [end, pid] : ends) {
    const auto other = ends.find({end.second, end.first});
    if (other == ends.end() || other->second == pid) continue;
    links.insert(std::minmax(pid, other->second));
  }
  return {links.begin(), links.end()};
}

}  // namespace muster::os
