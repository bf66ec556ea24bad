#include "launcher/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "launcher/claim.h"
#include "launcher/metrics_files.h"
#include "launcher/node.h"
#include "launcher/record_writer.h"
#include "launcher/signals.h"
#include "launcher/view.h"
#include "launcher/work_folder.h"
#include "model/order.h"
#include "os/epoll_loop.h"
#include "os/net.h"
#include "os/process_table.h"
#include "os/sweep.h"

namespace muster::launcher {
namespace {

Result<NodeOrder> ReadOrder(const os::Path& node_dir) {
  const os::Path path = node_dir / "order.json";
  MUSTER_ASSIGN(const std::string text, os::ReadFile(path));
  auto document = ParseJson(text);
  if (!document)
    return Fail(Code::kCorrupt,
                fmt::format("cannot read {}: {}", path.string(), document.error().text));
  MUSTER_ASSIGN(NodeOrder order, NodeOrderFromJson(*document));
  // The folder of the order file determines the node's folder.
  order.dir = node_dir;
  if (order.attempt_dir.empty()) order.attempt_dir = node_dir.parent_path();
  return order;
}

Ground PrepareGround(NodeOrder& order, Footing& footing) {
  Ground ground{.host = footing.machine(),
                .start_ticks = footing.start_ticks(),
                .boot = footing.boot(),
                .group = {},
                .companions = Companions::For(order, footing.packages),
                .notes = order.notes};
  footing.packages = ground.companions.packages();
  if (const auto status = PrepareMetrics(order); !status)
    ground.notes.push_back("$MUSTER_METRICS is not available: " + status.error().text);
  std::ranges::move(TakeOverWork(order), std::back_inserter(ground.notes));
  if (order.view) ground.companions.KeepIn(*order.view);
  for (std::string& note : order.view ? EnterPlatform(order) : footing.Take(order))
    ground.notes.push_back(std::move(note));
  auto group = os::Cgroup::Create(
      os::NodeGroupName(order.job, order.attempt, order.node, order.token), order.memory);
  const bool limited = group && group->limits_memory();
  if (group) {
    ground.group = std::move(*group);
  } else {
    ground.notes.push_back("no control group: " + group.error().text);
  }
  if (order.memory && !limited) ground.notes.push_back("the memory limit is not enforced");
  return ground;
}

// Reports an unreadable order in the record, so that the server learns the cause.
void Refuse(RecordWriter& record, const Error& error) {
  ExitReport exit{.how = ExitClass::kCouldNotStart};
  exit.detail = error.text;
  const auto self = os::ReadProcess(getpid());
  record.Append(
      {LauncherBegan{"", getpid(), self ? self->start_ticks : 0, os::HostName(), "", {}, ""},
       NodeFailed{-1, std::move(exit), "the launch order cannot be carried out: " + error.text},
       NodeClean{}, LauncherEnded{true}});
}

}  // namespace

int RunLauncher(const os::Path& node_dir) {
  Footing footing;
  return CarryOut(node_dir, footing).code;
}

LauncherEnd CarryOut(const os::Path& node_dir, Footing& footing) {
  std::error_code ignored;
  const os::Path dir = std::filesystem::absolute(node_dir, ignored);
  auto claim = ClaimRecord(dir);
  if (!claim) {
    LogError("cannot take this node: {}", claim.error().text);
    return {.code = 1};
  }
  if (!*claim) {
    LogInfo("{} is taken by another launcher; leaving", dir.string());
    return {};
  }
  Status prepared = PrepareProcess();
  os::EpollLoop loop;
  RecordWriter record(loop, std::move(**claim));
  auto order = ReadOrder(dir);
  const bool leaves_nothing = order && GroundOf(*order);
  if (prepared && order && !footing.Fits(*order))
    prepared = Fail(Code::kInternal, "this launcher is another node already");
  std::optional<Node> node;
  if (!prepared || !order) {
    Refuse(record, prepared ? order.error() : prepared.error());
    record.WhenSettled([&] { loop.Stop(); });
  } else {
    Ground ground = PrepareGround(*order, footing);
    node.emplace(loop, record, std::move(*order), std::move(ground), [&] { loop.Stop(); });
    node->Begin();
  }
  if (const auto status = loop.Run(); !status) {
    LogError("cannot watch the ranks: {}", status.error().text);
    return {.code = 1};
  }
  return {.spent = !leaves_nothing || !footing.Holds(), .carried_out = true};
}

}  // namespace muster::launcher
