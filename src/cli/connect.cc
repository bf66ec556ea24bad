#include "cli/connect.h"

#include <signal.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/start_server.h"
#include "http/client_socket.h"
#include "http/url.h"
#include "os/net.h"

namespace muster::cli {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<std::unique_ptr<http::Client>> Open(const Endpoint& endpoint) {
  http::ClientOptions options;
  options.url = endpoint.url;
  options.token = endpoint.token;
  return http::Client::Create(std::move(options));
}

// Whether a server accepts connections at the address.
bool Listens(const std::string& url) {
  const auto parsed = http::ParseUrl(url);
  return parsed && http::ClientSocket::Connect(*parsed, nullptr, 1'000).has_value();
}

// A server that closes connections without an answer is there: it has too many of them.
Error TroubleWith(const Endpoint& endpoint, Error error) {
  if (error.code != Code::kUnavailable || !Listens(endpoint.url)) return error;
  return {Code::kTimeout, "it closed the connection without an answer: " + error.text,
          "try again; it may have too many connections"};
}

Status Probe(const Endpoint& endpoint) {
  http::ClientOptions options;
  options.url = endpoint.url;
  options.timeout_ms = 10'000;
  MUSTER_ASSIGN(const auto client, http::Client::Create(std::move(options)));
  const Result<http::Response> answer = client->Send("GET", std::string(kApiPrefix) + "/health");
  if (!answer) return std::unexpected(TroubleWith(endpoint, answer.error()));
  const http::Response& response = *answer;
  // It has no connection left for this client. A code of its own: kUnavailable means that no
  // server is there.
  if (response.status == 503) {
    Error error = ErrorOf(response, "GET /health");
    error.code = Code::kTimeout;
    return std::unexpected(std::move(error));
  }
  const auto value = ParseJson(response.body);
  const json::object* body = value ? value->if_object() : nullptr;
  if (response.status != 200 || !body || GetString(*body, "status") != "ok")
    return Fail(Code::kConflict, "what answers there is not a healthy Muster server");
  return {};
}

bool IsAlive(int pid) { return kill(pid, 0) == 0 || errno == EPERM; }

World RealWorld(Context& context) {
  World world;
  world.probe = Probe;
  world.is_alive = IsAlive;
  world.start = [](const os::Path& data) {
    return StartServer(data, [](const Endpoint& endpoint) {
      return IsAlive(endpoint.pid) && Probe(endpoint).has_value();
    });
  };
  world.say = [&context](const std::string& text) {
    context.screen.Err(fmt::format("muster: {}\n", text));
  };
  return world;
}

Result<std::unique_ptr<Api>> ConnectTo(Context& context, const Wanted& wanted) {
  const World world = RealWorld(context);
  MUSTER_ASSIGN(const Endpoint endpoint, FindServer(wanted, world));
  MUSTER_ASSIGN(auto client, Open(endpoint));
  Wanted again = wanted;
  again.may_start = false;
  const auto reopen = [again, world]() -> Result<std::unique_ptr<http::Client>> {
    MUSTER_ASSIGN(const Endpoint found, FindServer(again, world));
    return Open(found);
  };
  return std::make_unique<Api>(std::move(client), reopen, endpoint.url);
}

}  // namespace

Wanted WantedServer(const Args& args) {
  Wanted wanted;
  wanted.server = args.Get("server", Environment("MUSTER_SERVER"));
  wanted.token = Environment("MUSTER_TOKEN");
  // --data selects the server of that folder, whatever the environment contains.
  if (args.Has("data") && !args.Has("server")) wanted.server.clear();
  std::error_code error;
  wanted.data = std::filesystem::absolute(
      args.Has("data") ? os::Path(args.Get("data")) : os::DefaultDataDir(), error);
  wanted.may_start = !args.Has("no-start");
  return wanted;
}

Result<std::unique_ptr<Api>> Connect(Context& context, const Args& args) {
  return ConnectTo(context, WantedServer(args));
}

Result<std::unique_ptr<Api>> ConnectOnly(Context& context, const Args& args) {
  Wanted wanted = WantedServer(args);
  wanted.may_start = false;
  return ConnectTo(context, wanted);
}

bool ServerIsElsewhere(const Args& args) {
  const auto named = NormalUrl(WantedServer(args).server);
  if (!named) return false;
  const auto url = http::ParseUrl(*named);
  if (!url) return false;
  const std::string& host = url->host;
  return !host.starts_with("127.") && host != "localhost" && host != "::1" &&
         host != os::HostName();
}

}  // namespace muster::cli
