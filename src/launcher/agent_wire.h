#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::launcher {

// The protocol between `muster agent` and a launcher over the unix socket agent.sock in the node's
// folder. The request is a frame (32-bit little-endian length, then the payload) whose first byte
// carries three descriptors: standard input, output and error. The answer is the exit code in
// decimal, a newline and an optional message; then the connection closes.

struct AgentRequest {
  std::string cwd;
  std::vector<std::string> words;  // of the command, as ssh would pass them
  std::vector<std::string> env;    // "NAME=value"
};

inline constexpr size_t kAgentHeader = 4;
inline constexpr uint32_t kAgentLargest = 8 << 20;
inline constexpr int kAgentFiles = 3;

std::string EncodeAgentRequest(const AgentRequest& request);  // the whole frame
uint32_t AgentPayloadSize(std::string_view header);           // `header` has kAgentHeader bytes
Result<AgentRequest> DecodeAgentPayload(std::string_view payload);

// A listening or connected socket at `node_dir`/agent.sock, for paths of any length.
Result<os::Fd> ListenForAgents(const os::Path& node_dir);
Result<os::Fd> ConnectToNode(const os::Path& node_dir);

}  // namespace muster::launcher
