#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/order.h"
#include "os/file.h"

namespace muster::launcher {

// What `muster agent [OPTIONS] HOST COMMAND...` does: it stands in for ssh inside a job. The
// command runs on the node HOST of the same attempt, with this process's folder, environment and
// standard descriptors; its exit code is the result. 255, as with ssh, when it could not be run.
int RunAgent(std::span<const std::string> args);

// An ssh command line, its options skipped wherever ssh allows them. kInvalid without host.
struct AgentCall {
  std::string host;  // without a user in front
  std::vector<std::string> words;
};
Result<AgentCall> ParseAgentCall(std::span<const std::string> args);

// attempts/<n>/hosts.json, which says where the nodes of an attempt are to be found.
json::object HostsDocument(const NodeOrder& order);
// The folder of the node with this name or address. kNotFound names those that there are.
Result<os::Path> FindHost(const json::value& document, std::string_view host);

}  // namespace muster::launcher
