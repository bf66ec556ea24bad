#include "model/order.h"

#include <fmt/format.h>

#include "model/pairs.h"

namespace muster {
namespace {

// Launchers of earlier versions refuse orders with a platform.
constexpr int kVersion = 2;
constexpr int kPlatformVersion = 3;

json::object ToJson(const RankOrder& rank) {
  return {{"rank", rank.rank},           {"local_rank", rank.local_rank},  {"role", rank.role},
          {"service", rank.service},     {"argv", WordsToJson(rank.argv)}, {"cwd", rank.cwd},
          {"env", PairsToJson(rank.env)}};
}

RankOrder RankFromJson(const json::object& object) {
  RankOrder rank;
  rank.rank = int(GetInt(object, "rank"));
  rank.local_rank = int(GetInt(object, "local_rank"));
  rank.role = GetString(object, "role");
  rank.service = GetBool(object, "service");
  rank.argv = WordsFromJson(GetArray(object, "argv"));
  rank.env = PairsFromJson(GetObject(object, "env"));
  rank.cwd = GetString(object, "cwd");
  return rank;
}

template <typename T, typename Make>
json::array ListToJson(const std::vector<T>& items, Make make) {
  json::array array;
  for (const auto& item : items) array.push_back(make(item));
  return array;
}

template <typename Take>
void EachObject(const json::object& object, std::string_view key, Take take) {
  if (const auto* array = GetArray(object, key))
    for (const auto& item : *array)
      if (const auto* member = item.if_object()) take(*member);
}

std::optional<int64_t> OptionalInt(const json::object& object, std::string_view key) {
  if (!object.contains(key)) return std::nullopt;
  return GetInt(object, key);
}

json::array AliasesToJson(const Aliases& aliases) {
  return ListToJson(aliases, [](const auto& alias) {
    return json::object{{"node", alias.first}, {"name", alias.second}};
  });
}

json::array HostsToJson(const Hosts& hosts) {
  return ListToJson(hosts, [](const auto& host) {
    return json::object{{"address", host.first}, {"name", host.second}};
  });
}

void PutPlatform(const NodeOrder& order, json::object& object) {
  object["platform"] = order.platform;
  object["aliases"] = AliasesToJson(*order.aliases);
  if (order.view) object["view"] = ToJsonObject(*order.view);
  object["boot_file"] = order.boot_file;
  if (order.pre_start) {
    object["pre_start"] = json::object{{"name", order.pre_start->name},
                                       {"text", order.pre_start->text},
                                       {"words", WordsToJson(order.pre_start->words)}};
  }
}

void TakePlatform(const json::object& object, NodeOrder& order) {
  order.platform = GetString(object, "platform");
  if (const auto* view = GetObject(object, "view")) order.view = ViewFromJson(*view);
  order.boot_file = GetString(object, "boot_file");
  if (const auto* step = GetObject(object, "pre_start")) {
    order.pre_start =
        PreStart{std::string(GetString(*step, "name")), std::string(GetString(*step, "text")),
                 WordsFromJson(GetArray(*step, "words"))};
  }
}

}  // namespace

std::optional<std::string> GroundOf(const NodeOrder& order) {
  const bool alone = order.node_count == 1 && order.aliases->empty();
  if (!alone || order.view || order.agent || order.rendezvous) return std::nullopt;
  if (!order.isolate) return "";
  json::array names{order.hostname};
  for (const auto& [address, name] : *order.hosts) names.push_back(json::array{address, name});
  return ToJson(names);
}

json::object CommonOfNodes(const NodeOrder& order) {
  return {{"hosts", HostsToJson(*order.hosts)}, {"aliases", AliasesToJson(*order.aliases)}};
}

void ReadCommonOfNodes(const json::object& object, NodeOrder& order) {
  Hosts hosts;
  EachObject(object, "hosts", [&](const json::object& host) {
    hosts.emplace_back(GetString(host, "address"), GetString(host, "name"));
  });
  order.hosts = std::move(hosts);
  Aliases aliases;
  EachObject(object, "aliases", [&](const json::object& alias) {
    aliases.emplace_back(int(GetInt(alias, "node")), GetString(alias, "name"));
  });
  order.aliases = std::move(aliases);
}

json::object ToJsonObject(const NodeOrder& order) {
  json::object object{{"version", order.platform.empty() ? kVersion : kPlatformVersion},
                      {"job", order.job},
                      {"attempt", order.attempt},
                      {"token", order.token},
                      {"node", order.node},
                      {"node_count", order.node_count},
                      {"node_name", order.node_name},
                      {"address", order.address},
                      {"hostname", order.hostname},
                      {"isolate", order.isolate},
                      {"dir", order.dir},
                      {"attempt_dir", order.attempt_dir},
                      {"code_dir", order.code_dir},
                      {"work_dir", order.work_dir},
                      {"code_per_rank", order.code_per_rank},
                      {"folders", WordsToJson(order.folders)},
                      {"agent", order.agent},
                      {"notes", WordsToJson(order.notes)},
                      {"warning_ms", order.warning_ms},
                      {"warning_signal", order.warning_signal},
                      {"grace_ms", order.grace_ms},
                      {"hooks", json::object{{"setup", order.hooks.setup},
                                             {"on_stop", order.hooks.on_stop},
                                             {"on_failure", order.hooks.on_failure}}},
                      {"env", PairsToJson(order.env)}};
  if (order.has_shell_env) object["has_shell_env"] = true;
  if (order.head_start_ms > 0) object["head_start_ms"] = order.head_start_ms;
  if (order.work_shared) object["work_shared"] = true;
  if (!order.taken_over.empty()) object["taken_over"] = WordsToJson(order.taken_over);
  if (!order.local_inputs.empty()) object["local_inputs"] = PairsToJson(order.local_inputs);
  if (!order.platform.empty()) PutPlatform(order, object);
  if (order.rendezvous) {
    object["rendezvous"] = json::object{{"address", order.rendezvous->address},
                                        {"port", order.rendezvous->port},
                                        {"serve", order.rendezvous->serve}};
  }
  if (order.memory) object["memory"] = *order.memory;
  if (order.time_limit_ms) object["time_limit_ms"] = *order.time_limit_ms;
  object["hosts"] = HostsToJson(*order.hosts);
  object["files"] = ListToJson(order.files, [](const OrderFile& file) {
    return json::object{{"path", file.path}, {"mode", file.mode}, {"content", *file.content}};
  });
  object["ranks"] = ListToJson(order.ranks, [](const RankOrder& rank) { return ToJson(rank); });
  return object;
}

Result<NodeOrder> NodeOrderFromJson(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return Fail(Code::kCorrupt, "a launch order must be a JSON object");
  NodeOrder order;
  const int64_t version = GetInt(*object, "version");
  if (version != kVersion && version != kPlatformVersion) {
    return Fail(Code::kInvalid,
                fmt::format("launch order of version {}, this launcher knows versions {} and {}",
                            version, kVersion, kPlatformVersion),
                "use the same muster on the server and on the nodes");
  }
  order.job = GetInt(*object, "job");
  order.attempt = int(GetInt(*object, "attempt"));
  order.token = GetString(*object, "token");
  order.node = int(GetInt(*object, "node"));
  order.node_count = int(GetInt(*object, "node_count", 1));
  order.node_name = GetString(*object, "node_name");
  order.address = GetString(*object, "address");
  order.hostname = GetString(*object, "hostname");
  order.isolate = GetBool(*object, "isolate");
  order.dir = GetString(*object, "dir");
  order.attempt_dir = GetString(*object, "attempt_dir");
  order.code_dir = GetString(*object, "code_dir");
  order.work_dir = GetString(*object, "work_dir");
  order.code_per_rank = GetBool(*object, "code_per_rank");
  order.work_shared = GetBool(*object, "work_shared");
  order.taken_over = WordsFromJson(GetArray(*object, "taken_over"));
  order.local_inputs = PairsFromJson(GetObject(*object, "local_inputs"));
  order.folders = WordsFromJson(GetArray(*object, "folders"));
  order.agent = GetBool(*object, "agent");
  order.notes = WordsFromJson(GetArray(*object, "notes"));
  order.warning_ms = GetInt(*object, "warning_ms");
  order.warning_signal = GetString(*object, "warning_signal");
  order.grace_ms = GetInt(*object, "grace_ms", order.grace_ms);
  order.head_start_ms = GetInt(*object, "head_start_ms", 0);
  order.memory = OptionalInt(*object, "memory");
  order.time_limit_ms = OptionalInt(*object, "time_limit_ms");
  order.env = PairsFromJson(GetObject(*object, "env"));
  order.has_shell_env = GetBool(*object, "has_shell_env");
  TakePlatform(*object, order);
  if (const auto* meeting = GetObject(*object, "rendezvous")) {
    order.rendezvous = Rendezvous{std::string(GetString(*meeting, "address")),
                                  int(GetInt(*meeting, "port")), GetBool(*meeting, "serve")};
  }
  if (const auto* hooks = GetObject(*object, "hooks")) {
    order.hooks.setup = GetString(*hooks, "setup");
    order.hooks.on_stop = GetString(*hooks, "on_stop");
    order.hooks.on_failure = GetString(*hooks, "on_failure");
  }
  ReadCommonOfNodes(*object, order);
  EachObject(*object, "files", [&](const json::object& file) {
    order.files.push_back({std::string(GetString(file, "path")),
                           std::string(GetString(file, "content")),
                           int(GetInt(file, "mode", 0644))});
  });
  EachObject(*object, "ranks",
             [&](const json::object& rank) { order.ranks.push_back(RankFromJson(rank)); });
  if (order.token.empty() || order.dir.empty() || order.attempt_dir.empty())
    return Fail(Code::kCorrupt, "launch order without token, dir or attempt_dir");
  return order;
}

}  // namespace muster
