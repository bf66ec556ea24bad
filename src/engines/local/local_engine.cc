#include "engines/local/local_engine.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "os/file.h"
#include "os/net.h"
#include "os/process_table.h"
#include "os/sweep.h"

extern char** environ;

namespace muster::engines {
namespace {

constexpr int kFirstPort = 20000, kLastPort = 29999;

// The server's own environment, less what lets a job act as its user on the server.
std::vector<std::string> LauncherEnvironment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("MUSTER_")) env.emplace_back(text);
  }
  return env;
}

std::string GroupOf(const AttemptRef& attempt, int node) {
  return os::NodeGroupName(attempt.job, attempt.attempt, node, attempt.token);
}

Result<os::Fd> OpenControl(const std::string& attempt_dir) {
  return os::Open(attempt_dir + "/control", O_WRONLY | O_CREAT | O_APPEND, 0600);
}

// The file gets its first block while there is room: a job that has filled the disk must still hear
// that it shall stop.
Status ReserveControl(const std::string& attempt_dir) {
  MUSTER_TRY(os::MakeDirs(attempt_dir));
  MUSTER_ASSIGN(const os::Fd control, OpenControl(attempt_dir));
  struct stat info{};
  if (::fstat(control.get(), &info) == 0 && info.st_size > 0) return {};
  return os::WriteAll(control.get(), "\n");
}

}  // namespace

LocalEngine::LocalEngine(Parts parts)
    : parts_(std::move(parts)),
      nursery_(parts_.loop, parts_.muster, LauncherEnvironment()),
      ports_(os::PortIsFree, kFirstPort, kLastPort,
             uint32_t(std::strtoul(os::RandomHex(4).c_str(), nullptr, 16))) {}
LocalEngine::~LocalEngine() = default;

Result<std::vector<int>> LocalEngine::ReservePorts(const AttemptRef& attempt,
                                                   const std::string& node, int count) {
  MUSTER_ASSIGN(const std::string address, AddressOf(node));
  return ports_.Reserve(attempt.token, address, count);
}

Result<std::string> LocalEngine::AddressOf(const std::string& node) const {
  for (const auto& info : parts_.nodes)
    if (info.name == node) return info.address;
  return Fail(Code::kNotFound, fmt::format("no node \"{}\" on this server", node));
}

Result<std::vector<int>> LocalEngine::ReserveCommonPorts(const AttemptRef& attempt,
                                                         const std::vector<std::string>& nodes,
                                                         int count) {
  std::set<std::string> addresses;  // two shares of an attempt may be on one machine
  for (const std::string& node : nodes) {
    MUSTER_ASSIGN(std::string address, AddressOf(node));
    addresses.insert(std::move(address));
  }
  return ports_.ReserveRun(attempt.token, addresses, count);
}

void LocalEngine::ReservePorts(const AttemptRef& attempt, const Allocation& known) {
  ports_.Hold(attempt.token, known.common_ports);
  for (const auto& share : known.nodes) ports_.Hold(attempt.token, share.ports);
}

void LocalEngine::Release(const AttemptRef& attempt) {
  ports_.Release(attempt.token);
  // A watch may be the caller: it is laid aside now and destroyed when the loop is back.
  auto first = watches_.lower_bound({attempt.token, 0});
  while (first != watches_.end() && first->first.first == attempt.token) {
    released_.push_back(std::move(first->second));
    first = watches_.erase(first);
  }
  parts_.loop.Post([this, here = std::weak_ptr<bool>(here_)] {
    if (!here.expired()) released_.clear();
  });
}

NodeWatch& LocalEngine::Watch(const AttemptRef& attempt, int node, int64_t offset) {
  auto& watch = watches_[{attempt.token, node}];
  if (!watch)
    watch = std::make_unique<NodeWatch>(
        NodeWatch::Parts{parts_.loop, parts_.pool, parts_.files, nursery_, events_}, attempt, node,
        offset);
  return *watch;
}

Status LocalEngine::Start(const AttemptRef& attempt, const std::vector<NodeOrder>& orders) {
  MUSTER_TRY(ReserveControl(attempt.dir));
  for (const auto& order : orders) {
    if (auto status = StartNode(attempt, order); !status) {
      // The caller tries again: what was started meanwhile has its record and starts only once.
      if (status.error().code == Code::kNoSpace) return status;
      const std::string why = status.error().text;
      MUSTER_TRY(os::MakeDirs(order.dir));
      NodeWatch& watch = Watch(attempt, order.node, 0);
      parts_.loop.Post([this, key = std::pair(attempt.token, order.node), &watch, why] {
        if (watches_.contains(key)) watch.CouldNotStart("its launcher could not start: " + why);
      });
    }
  }
  return {};
}

Status LocalEngine::StartNode(const AttemptRef& attempt, const NodeOrder& order) {
  MUSTER_TRY(os::MakeDirs(order.dir));
  // Not synced: a power cut ends the ranks as well, and then the order is made anew.
  MUSTER_TRY(os::WriteNewFile(order.dir + "/order.json", ToPrettyJson(ToJsonObject(order)), 0600));
  NodeWatch& watch = Watch(attempt, order.node, 0);
  MUSTER_ASSIGN(Launcher launcher,
                nursery_.Launch(order.dir, GroupOf(attempt, order.node), GroundOf(order)));
  watch.Launched(std::move(launcher));
  return {};
}

Status LocalEngine::Recover(const AttemptRef& attempt, const std::vector<NodeStatus>& nodes,
                            const std::vector<NodeOrder>& orders) {
  for (const auto& order : orders) {
    const size_t index = size_t(order.node);
    if (index < nodes.size() && nodes[index].ended) continue;
    const int64_t offset = index < nodes.size() ? nodes[index].record_offset : 0;
    std::error_code ignored;
    const NodeStatus known = index < nodes.size() ? nodes[index] : NodeStatus{};
    // A record that was removed is no reason to start the node a second time.
    if (known.began || std::filesystem::exists(order.dir + "/record", ignored)) {
      Watch(attempt, order.node, offset).Adopt(known);
    } else if (auto status = Start(attempt, {order}); !status) {
      return status;
    }
  }
  return {};
}

Status LocalEngine::Stop(const AttemptRef& attempt, const ControlLine& why) {
  MUSTER_TRY(os::MakeDirs(attempt.dir));  // a stop may come before the start
  MUSTER_ASSIGN(const os::Fd control, OpenControl(attempt.dir));
  // The empty line ends what a full disk may have cut off, so that this line stands alone.
  MUSTER_TRY(os::WriteAll(control.get(), "\n" + EncodeControlLine(why)));
  for (auto watch = watches_.lower_bound({attempt.token, 0});
       watch != watches_.end() && watch->first.first == attempt.token; ++watch)
    watch->second->Wake();
  return {};
}

void LocalEngine::ConfirmClean(const AttemptRef& attempt) {
  std::vector<NodeWatch*> watches;
  for (auto watch = watches_.lower_bound({attempt.token, 0});
       watch != watches_.end() && watch->first.first == attempt.token; ++watch)
    watches.push_back(watch->second.get());
  // The last of them may end the attempt; its watches are laid aside, not destroyed.
  for (NodeWatch* watch : watches) watch->ConfirmClean();
}

Result<Engine::Inspection> LocalEngine::Inspect(const AttemptRef& attempt, int node) {
  const os::Path record = fmt::format("{}/node{}/record", attempt.dir, node);
  Inspection inspection;
  std::error_code ignored;
  inspection.has_record = std::filesystem::exists(record, ignored);
  inspection.launcher_alive = os::IsLocked(record);
  inspection.processes = int(os::ProcessesMarked(os::NodeMark(attempt.token, node)).size());
  return inspection;
}

}  // namespace muster::engines
