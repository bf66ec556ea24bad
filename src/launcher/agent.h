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

// `muster agent [OPTIONS] HOST COMMAND...`: a replacement for ssh inside a job. The command runs on
// node HOST of the same attempt, with the folder, environment and standard descriptors of this
// process. Its exit code is the result; 255, as with ssh, if it could not be run.
int RunAgent(std::span<const std::string> args);

// An ssh command line, its options skipped wherever ssh allows them. kInvalid without host.
struct AgentCall {
  std::string host;  // without the user name
  std::vector<std::string> words;
};
Result<AgentCall> ParseAgentCall(std::span<const std::string> args);

// The content of attempts/<n>/hosts.json: names, addresses and folders of all nodes of an attempt.
json::object HostsDocument(const NodeOrder& order);
// The folder of the node with this name or address. kNotFound lists the existing nodes.
Result<os::Path> FindHost(const json::value& document, std::string_view host);

}  // namespace muster::launcher
