#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/connect.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

// "17", or "17 (not proven clean)" for a job whose processes may be left on the node.
std::string JobText(const json::object& node, const json::value& id) {
  const json::array* unproven = GetArray(node, "unproven");
  const bool flagged = unproven != nullptr && std::ranges::find(*unproven, id) != unproven->end();
  return ToJson(id) + (flagged ? " (not proven clean)" : "");
}

struct DeviceText {
  std::string use;     // "npu 3/8, cpu 2/64"
  std::string models;  // "NVIDIA H200"
};

DeviceText Devices(const json::object& node) {
  std::vector<std::string> use, models;
  if (const json::object* devices = GetObject(node, "devices")) {
    for (const auto& [kind, value] : *devices) {
      const json::object* device = value.if_object();
      if (!device) continue;
      use.push_back(fmt::format("{} {}/{}", std::string_view(kind), GetInt(*device, "used"),
                                GetInt(*device, "total")));
      const std::string_view model = GetString(*device, "model");
      if (!model.empty()) models.emplace_back(model);
    }
  }
  return {Join(use, ", "), Join(models, ", ")};
}

// "2 GiB/21.8 GiB", of the machine that the node is on.
std::string MemoryUse(const json::object& node) {
  const json::object* memory = GetObject(node, "memory");
  if (memory == nullptr || GetInt(*memory, "total") == 0) return "-";
  return fmt::format("{}/{}", HumanSize(GetInt(*memory, "used")),
                     HumanSize(GetInt(*memory, "total")));
}

std::string NodesText(const Screen& screen, const json::array& nodes) {
  Table table({{"NODE"}, {"ADDRESS"}, {"USED"}, {"MEMORY"}, {"JOBS"}, {"KIND"}, {"MODEL"}});
  for (const json::value& item : nodes) {
    const json::object* node = item.if_object();
    if (!node) continue;
    std::vector<std::string> jobs;
    if (const json::array* ids = GetArray(*node, "jobs"))
      for (const json::value& id : *ids) jobs.push_back(JobText(*node, id));
    const DeviceText devices = Devices(*node);
    table.Add({std::string(GetString(*node, "name")), std::string(GetString(*node, "address")),
               devices.use, MemoryUse(*node), jobs.empty() ? "-" : Join(jobs, " "),
               GetBool(*node, "virtual") ? "virtual" : "machine", devices.models});
  }
  return table.Render(screen);
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  MUSTER_ASSIGN(const json::object answer, api->Get("/nodes"));
  if (args.Has("json")) {
    context.screen.Out(ToPrettyJson(answer));
    return 0;
  }
  const json::array* nodes = GetArray(answer, "nodes");
  context.screen.Out(NodesText(context.screen, nodes ? *nodes : json::array{}));
  return 0;
}

}  // namespace

Verb NodesVerb() {
  return {.name = "nodes",
          .aliases = {},
          .summary = "List the nodes, their devices and memory, and the jobs on them",
          .examples = {{"muster nodes",
                        "used/total of every kind of device, and of the machine's memory"}},
          .run = Run};
}

}  // namespace muster::cli
