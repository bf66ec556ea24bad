#include "launcher/agent_wire.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::launcher {
namespace {

void Put(std::string& out, std::string_view text) {
  out += text;
  out += '\0';
}

// The next string of the payload; nothing at its end.
std::optional<std::string> Next(std::string_view& payload) {
  const size_t end = payload.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  std::string text(payload.substr(0, end));
  payload.remove_prefix(end + 1);
  return text;
}

std::unexpected<Error> Malformed() {
  return Fail(Code::kInvalid, "the request of an agent is malformed",
              "use the same muster on all nodes");
}

// A socket path is limited to 108 bytes, so the address goes through a descriptor of the folder.
sockaddr_un AddressThrough(const os::Fd& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to_n(address.sun_path, sizeof address.sun_path - 1, "/proc/self/fd/{}/agent.sock",
                   folder.get());
  return address;
}

Result<os::Fd> NewSocket() {
  os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return FailErrno(errno, "make a socket");
  return socket;
}

}  // namespace

std::string EncodeAgentRequest(const AgentRequest& request) {
  std::string frame(kAgentHeader, '\0');
  Put(frame, request.cwd);
  Put(frame, std::to_string(request.words.size()));
  for (const auto& word : request.words) Put(frame, word);
  for (const auto& entry : request.env) Put(frame, entry);
  const auto size = uint32_t(frame.size() - kAgentHeader);
  for (size_t i = 0; i < kAgentHeader; ++i) frame[i] = char(size >> (8 * i));
  return frame;
}

uint32_t AgentPayloadSize(std::string_view header) {
  uint32_t size = 0;
  for (size_t i = 0; i < kAgentHeader; ++i) size |= uint32_t(uint8_t(header[i])) << (8 * i);
  return size;
}

Result<AgentRequest> DecodeAgentPayload(std::string_view payload) {
  AgentRequest request;
  auto cwd = Next(payload);
  const auto count = ParseInt(Next(payload).value_or(""));
  if (!cwd || !count || *count < 1 || uint64_t(*count) > payload.size()) return Malformed();
  request.cwd = std::move(*cwd);
  for (int64_t i = 0; i < *count; ++i) {
    auto word = Next(payload);
    if (!word) return Malformed();
    request.words.push_back(std::move(*word));
  }
  while (auto entry = Next(payload)) request.env.push_back(std::move(*entry));
  if (!payload.empty()) return Malformed();
  return request;
}

Result<os::Fd> ListenForAgents(const os::Path& node_dir) {
  MUSTER_ASSIGN(const os::Fd folder, os::Open(node_dir, O_PATH | O_DIRECTORY));
  MUSTER_ASSIGN(os::Fd socket, NewSocket());
  const sockaddr_un address = AddressThrough(folder);
  unlinkat(folder.get(), "agent.sock", 0);
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.get(), SOMAXCONN) != 0)
    return FailErrno(errno, fmt::format("listen on {}/agent.sock", node_dir.string()));
  fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  return socket;
}

Result<os::Fd> ConnectToNode(const os::Path& node_dir) {
  MUSTER_ASSIGN(const os::Fd folder, os::Open(node_dir, O_PATH | O_DIRECTORY));
  MUSTER_ASSIGN(os::Fd socket, NewSocket());
  const sockaddr_un address = AddressThrough(folder);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return FailErrno(errno, fmt::format("connect to {}/agent.sock", node_dir.string()));
  return socket;
}

}  // namespace muster::launcher
