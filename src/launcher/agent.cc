#include "launcher/agent.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "launcher/agent_wire.h"

namespace muster::launcher {
namespace {

constexpr int kCannotRun = 255;
constexpr std::string_view kOptionsWithValue = "BbcDEeFIiJLlmOoPpQRSWw";
// All nodes of an attempt start at about the same time; one may still be copying its code.
constexpr auto kLongestWait = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(20);

// The number of words that the option at the front takes, including itself.
size_t OptionLength(std::string_view option) {
  for (size_t i = 1; i < option.size(); ++i)
    if (kOptionsWithValue.contains(option[i])) return i + 1 == option.size() ? 2 : 1;
  return 1;
}

void SkipOptions(std::span<const std::string>& args) {
  while (!args.empty() && args[0].size() > 1 && args[0][0] == '-') {
    const bool last = args[0] == "--";
    args = args.subspan(std::min(args.size(), last ? 1 : OptionLength(args[0])));
    if (last) return;
  }
}

Result<os::Fd> Reach(const os::Path& attempt_dir, const std::string& host) {
  const os::Path path = attempt_dir / "hosts.json";
  MUSTER_ASSIGN(const std::string text, os::ReadFile(path));
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  MUSTER_ASSIGN(const os::Path folder, FindHost(document, host));
  auto socket = ConnectToNode(folder);
  if (!socket && (socket.error().sys == ENOENT || socket.error().sys == ECONNREFUSED))
    return Fail(Code::kUnavailable, socket.error().text);
  return socket;
}

Result<os::Fd> ReachPatiently(const os::Path& attempt_dir, const std::string& host) {
  const auto deadline = std::chrono::steady_clock::now() + kLongestWait;
  while (true) {
    auto socket = Reach(attempt_dir, host);
    const bool early =
        !socket && (socket.error().sys == ENOENT || socket.error().code == Code::kUnavailable);
    if (!early || std::chrono::steady_clock::now() >= deadline) return socket;
    std::this_thread::sleep_for(kPause);
  }
}

Status SendRequest(int socket, const AgentRequest& request) {
  const std::string frame = EncodeAgentRequest(request);
  if (frame.size() > kAgentLargest)
    return Fail(Code::kTooLarge, fmt::format("command and environment of {} are too large",
                                             HumanSize(int64_t(frame.size()))));
  const int files[kAgentFiles] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
  iovec first{const_cast<char*>(frame.data()), kAgentHeader};
  msghdr message{};
  message.msg_iov = &first;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files, sizeof files);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != ssize_t(kAgentHeader))
    return FailErrno(errno, "send the command");
  for (size_t sent = kAgentHeader; sent < frame.size();) {
    const ssize_t more = send(socket, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno != EINTR) return FailErrno(errno, "send the command");
    if (more > 0) sent += size_t(more);
  }
  return {};
}

Result<int> ReceiveAnswer(int socket) {
  std::string answer;
  char buffer[4096];
  while (true) {
    const ssize_t got = read(socket, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.append(buffer, size_t(got));
  }
  const size_t end = answer.find('\n');
  const auto code = ParseInt(std::string_view(answer).substr(0, end));
  if (end == std::string::npos || !code)
    return Fail(Code::kUnavailable, "the node went away before the command ended");
  if (end + 1 < answer.size()) return Fail(Code::kIo, answer.substr(end + 1));
  return int(*code);
}

Result<int> RunOnNode(const AgentCall& call) {
  const char* attempt_dir = std::getenv("MUSTER_ATTEMPT_DIR");
  if (attempt_dir == nullptr)
    return Fail(Code::kInvalid, "MUSTER_ATTEMPT_DIR is not set",
                "muster agent works only inside a job, where Open MPI calls it");
  MUSTER_ASSIGN(const os::Fd socket, ReachPatiently(attempt_dir, call.host));
  AgentRequest request{.cwd = {}, .words = call.words, .env = {}};
  std::error_code ignored;
  request.cwd = std::filesystem::current_path(ignored).string();
  for (char** entry = environ; *entry != nullptr; ++entry) request.env.emplace_back(*entry);
  MUSTER_TRY(SendRequest(socket.get(), request));
  return ReceiveAnswer(socket.get());
}

int Complain(std::string_view host, const Error& error) {
  const std::string words =
      fmt::format("muster agent: {}{}{}{}{}\n", host, host.empty() ? "" : ": ", error.text,
                  error.next.empty() ? "" : "; ", error.next);
  std::fputs(words.c_str(), stderr);  // fmt::print would throw if the disk is full
  return kCannotRun;
}

}  // namespace

Result<AgentCall> ParseAgentCall(std::span<const std::string> args) {
  AgentCall call;
  SkipOptions(args);
  if (args.empty())
    return Fail(Code::kInvalid, "no host named", "usage: muster agent HOST COMMAND...");
  call.host = args[0].substr(args[0].rfind('@') + 1);
  args = args.subspan(1);
  SkipOptions(args);
  call.words.assign(args.begin(), args.end());
  // As ssh does: a login shell, which reads its commands from the standard input.
  if (call.words.empty()) call.words = {"exec", "/bin/bash", "-l"};
  return call;
}

json::object HostsDocument(const NodeOrder& order) {
  json::array nodes;
  for (size_t i = 0; i < order.hosts->size(); ++i) {
    const auto& [address, name] = (*order.hosts)[i];
    nodes.push_back(json::object{{"name", name},
                                 {"address", address},
                                 {"dir", fmt::format("{}/node{}", order.attempt_dir, i)}});
  }
  for (const auto& [node, name] : *order.aliases) {
    nodes.push_back(
        json::object{{"name", name}, {"dir", fmt::format("{}/node{}", order.attempt_dir, node)}});
  }
  return {{"nodes", std::move(nodes)}};
}

Result<os::Path> FindHost(const json::value& document, std::string_view host) {
  std::vector<std::string> known;
  const json::object* object = document.if_object();
  const json::array* nodes = object != nullptr ? GetArray(*object, "nodes") : nullptr;
  if (nodes == nullptr) return Fail(Code::kCorrupt, "hosts.json has no list of nodes");
  for (const auto& item : *nodes) {
    const json::object* node = item.if_object();
    if (node == nullptr) continue;
    if (GetString(*node, "name") == host || GetString(*node, "address") == host)
      return os::Path(std::string(GetString(*node, "dir")));
    known.emplace_back(GetString(*node, "name"));
  }
  return Fail(Code::kNotFound,
              fmt::format("no node of this job is called so; there are {}", Join(known, ", ")));
}

int RunAgent(std::span<const std::string> args) {
  const auto call = ParseAgentCall(args);
  if (!call) return Complain("", call.error());
  const auto code = RunOnNode(*call);
  return code ? *code : Complain(call->host, code.error());
}

}  // namespace muster::launcher
