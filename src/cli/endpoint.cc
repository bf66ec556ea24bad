#include "cli/endpoint.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace muster::cli {
namespace {

Error Unresponsive(const Endpoint& endpoint, Error error) {
  const std::string pid = endpoint.pid > 0 ? fmt::format(" (pid {})", endpoint.pid) : "";
  error.text = fmt::format("the server at {}{} does not answer as it should: {}", endpoint.url, pid,
                           error.text);
  return error;
}

Result<Endpoint> NamedServer(const Wanted& wanted, const World& world) {
  MUSTER_ASSIGN(std::string url, NormalUrl(wanted.server));
  Endpoint endpoint{std::move(url), wanted.token, 0};
  if (endpoint.token.empty()) {
    // A server on this machine has written its token to a file.
    const auto local = ReadEndpoint(wanted.data);
    if (local && local->url == endpoint.url) endpoint.token = local->token;
  }
  if (endpoint.token.empty())
    return Fail(Code::kDenied, fmt::format("no token for the server {}", endpoint.url),
                "set MUSTER_TOKEN to the token in its endpoint.json");
  if (auto answer = world.probe(endpoint); !answer) {
    Error error = std::move(answer).error();
    if (error.code == Code::kTimeout)
      return std::unexpected(Unresponsive(endpoint, std::move(error)));
    error.text = fmt::format("no server answers at {}: {}", endpoint.url, error.text);
    error.next = "check --server and MUSTER_SERVER, or omit both to use this machine";
    return std::unexpected(std::move(error));
  }
  return endpoint;
}

// The running server of the data folder; kNotFound if there is none.
Result<Endpoint> KeptServer(const Wanted& wanted, const World& world) {
  MUSTER_ASSIGN(Endpoint endpoint, ReadEndpoint(wanted.data));
  if (endpoint.pid > 0 && !world.is_alive(endpoint.pid))
    return Fail(Code::kNotFound, fmt::format("the server of {} (pid {}) is gone",
                                             wanted.data.string(), endpoint.pid));
  const auto answer = world.probe(endpoint);
  if (answer) return endpoint;
  if (answer.error().code == Code::kUnavailable)
    return Fail(Code::kNotFound, fmt::format("nothing answers at {}", endpoint.url));
  Error error = Unresponsive(endpoint, answer.error());
  if (error.next.empty())
    error.next = fmt::format("look into {}", (wanted.data / "server.log").string());
  return std::unexpected(std::move(error));
}

}  // namespace

Result<std::string> NormalUrl(std::string_view text) {
  std::string url(text);
  if (url.find("://") == std::string::npos) url = "http://" + url;
  while (url.ends_with('/')) url.pop_back();
  const size_t host = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const bool odd = url.find_first_of("/?#@ \t\r\n", host) != std::string::npos;
  if (host == 0 || host == url.size() || odd)
    return Fail(Code::kInvalid,
                fmt::format("server: found {}, expected a URL such as http://127.0.0.1:4711",
                            ShellQuote(Printable(text))));
  return url;
}

Result<Endpoint> ReadEndpoint(const os::Path& data) {
  const os::Path file = data / "endpoint.json";
  struct stat info{};
  if (stat(file.c_str(), &info) != 0)
    return FailErrno(errno, fmt::format("find {}", file.string()));
  if ((info.st_mode & 077) != 0)
    return Fail(Code::kDenied,
                fmt::format("{} holds a secret, but its mode {:o} lets others read it",
                            file.string(), info.st_mode & 0777),
                fmt::format("chmod 600 {}", ShellQuote(file.string())));
  MUSTER_ASSIGN(const std::string text, os::ReadFile(file, 64 << 10));
  const auto corrupt = [&](std::string_view why) {
    return Fail(Code::kCorrupt, fmt::format("{} is damaged: {}", file.string(), why),
                fmt::format("remove it when no server runs: rm {}", ShellQuote(file.string())));
  };
  const auto value = ParseJson(text);
  if (!value) return corrupt(value.error().text);
  const json::object* object = value->if_object();
  if (!object) return corrupt("not a JSON object");
  const auto url = NormalUrl(GetString(*object, "url"));
  const std::string_view token = GetString(*object, "token");
  if (!url || token.empty()) return corrupt("url or token is missing");
  return Endpoint{*url, std::string(token), int(GetInt(*object, "pid"))};
}

Result<Endpoint> FindServer(const Wanted& wanted, const World& world) {
  if (!wanted.server.empty()) return NamedServer(wanted, world);
  auto kept = KeptServer(wanted, world);
  if (kept || kept.error().code != Code::kNotFound) return kept;
  if (!wanted.may_start)
    return Fail(
        Code::kUnavailable,
        fmt::format("no server keeps {}: {}", wanted.data.string(), kept.error().text),
        fmt::format("start one: muster server --data {}", ShellQuote(wanted.data.string())));
  MUSTER_ASSIGN(Endpoint started, world.start(wanted.data));
  world.say(fmt::format("started a server on this machine: {} (data {})", started.url,
                        wanted.data.string()));
  return started;
}

}  // namespace muster::cli
