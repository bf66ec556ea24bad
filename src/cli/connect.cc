#include "cli/connect.h"

#include <signal.h>

#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/start_server.h"

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

Status Probe(const Endpoint& endpoint) {
  http::ClientOptions options;
  options.url = endpoint.url;
  options.timeout_ms = 10'000;
  MUSTER_ASSIGN(const auto client, http::Client::Create(std::move(options)));
  MUSTER_ASSIGN(const http::Response response,
                client->Send("GET", std::string(kApiPrefix) + "/health"));
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
  // A folder named by hand means its own server, whatever the environment says.
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

}  // namespace muster::cli
