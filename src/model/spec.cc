#include "model/spec.h"

#include <fmt/format.h>

#include "model/source.h"
#include "model/store_access.h"
#include "model/variables.h"

namespace muster {
namespace {

// Variables of the normal form are replaced already, so `${` in it is text for a shell.
json::object Escaped(const Pairs& pairs) {
  json::object object;
  for (const auto& [name, value] : pairs) object[name] = EscapeVariables(value);
  return object;
}

void PutText(json::object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = EscapeVariables(text);
}

void PutPairs(json::object& object, std::string_view key, const Pairs& pairs) {
  if (!pairs.empty()) object[key] = Escaped(pairs);
}

std::string Milliseconds(int64_t ms) {
  return ms % 1000 == 0 ? fmt::format("{}s", ms / 1000) : fmt::format("{}ms", ms);
}

void PutSizes(json::object& object, const Role& role) {
  object["nodes"] = role.nodes;
  object["devices"] = fmt::format("{}:{}", role.devices.kind, role.devices.count);
  object["ranks"] = role.ranks;
}

void PutWork(json::object& object, const Role& role) {
  if (role.run.words.empty()) {
    object["run"] = EscapeVariables(role.run.text);
  } else {
    json::array words;
    for (const std::string& word : role.run.words) words.emplace_back(EscapeVariables(word));
    object["run"] = std::move(words);
  }
  PutPairs(object, "parameters", role.parameters);
  PutPairs(object, "env", role.env);
}

bool IsPlain(const JobSpec& spec) {
  return spec.roles.size() == 1 && spec.roles.front().name == Role{}.name &&
         !spec.roles.front().service;
}

void PutRoles(json::object& object, const JobSpec& spec) {
  json::object resources;
  if (IsPlain(spec)) {
    PutSizes(resources, spec.roles.front());
    PutWork(object, spec.roles.front());
  } else {
    json::object roles;
    for (const Role& role : spec.roles) {
      json::object member;
      PutSizes(member, role);
      PutWork(member, role);
      if (role.service != ServesByName(role.name)) member["service"] = role.service;
      roles[role.name] = std::move(member);
    }
    object["roles"] = std::move(roles);
  }
  if (spec.memory) resources["memory"] = *spec.memory;
  if (!resources.empty()) object["resources"] = std::move(resources);
}

json::value OutputJson(const Publishing& published) {
  json::object parts{{"to", EscapeVariables(published.to)}, {"mode", "publish"}};
  if (published.always) parts["when"] = "always";
  if (published.sync_ms != 0) parts["sync"] = Milliseconds(published.sync_ms);
  if (published.overwrite) parts["overwrite"] = true;
  return parts;
}

void PutOutputs(json::object& object, const JobSpec& spec) {
  if (spec.outputs.empty()) return;
  json::object members;
  for (const auto& [name, place] : spec.outputs) {
    members[name] = place.empty() ? json::value() : json::value(EscapeVariables(place));
  }
  for (const Publishing& one : spec.published) members[one.name] = OutputJson(one);
  object["outputs"] = std::move(members);
}

void PutAfter(json::object& object, const std::vector<AfterJob>& after) {
  if (after.empty()) return;
  json::array list;
  for (const auto& [job, when] : after) {
    list.push_back(json::object{{"job", job}, {"when", when}});
  }
  object["after"] = std::move(list);
}

void PutLimits(json::object& object, const JobSpec& spec) {
  if (!spec.time_limit_ms) return;
  const std::string& signal = spec.warning_signal;
  object["limits"] =
      json::object{{"time", Milliseconds(*spec.time_limit_ms)},
                   {"warning", json::object{{"signal", signal.empty() ? "none" : signal},
                                            {"before", Milliseconds(spec.warning_ms)}}}};
}

void PutLaunch(json::object& object, const Launch& launch) {
  json::object members;
  if (launch.start != Launch{}.start) members["start"] = launch.start;
  PutText(members, "version", launch.version);
  PutText(members, "rank_table", launch.rank_table);
  PutText(members, "device_addresses", launch.device_addresses);
  PutText(members, "interface", launch.interface);
  if (launch.timeout_ms) members["timeout"] = Milliseconds(*launch.timeout_ms);
  if (!members.empty()) object["launch"] = std::move(members);
}

void PutHooks(json::object& object, const Hooks& hooks) {
  json::object members;
  PutText(members, "setup", hooks.setup);
  PutText(members, "on_stop", hooks.on_stop);
  PutText(members, "on_failure", hooks.on_failure);
  if (!members.empty()) object["hooks"] = std::move(members);
}

void PutInternal(json::object& object, const JobSpec& spec) {
  json::object members;
  PutText(members, "code_hash", spec.code_hash);
  json::object shell;
  PutPairs(shell, "env", spec.shell_env);
  PutText(shell, "folder", spec.submit_dir);
  if (!shell.empty()) members["shell"] = std::move(shell);
  PutText(members, "sweep_group", spec.sweep_group);
  PutPairs(members, "sweep_values", spec.sweep_values);
  if (!members.empty()) object["muster"] = std::move(members);
}

}  // namespace

bool ServesByName(std::string_view role) { return role == "ps" || role == "pserver"; }

bool JobSpec::IsFetched(const std::pair<std::string, std::string>& input) const {
  // The first generation of ModelArts passes URLs to the script.
  return IsFar(input.second) && platform != "modelarts-v1";
}

int JobSpec::TotalNodes() const {
  int total = 0;
  for (const Role& role : roles) total += role.nodes;
  return total;
}

int JobSpec::TotalRanks() const {
  int total = 0;
  for (const Role& role : roles) total += role.nodes * role.ranks;
  return total;
}

json::object ToJsonObject(const JobSpec& spec) {
  json::object object;
  object["name"] = spec.name;
  object["framework"] = spec.framework;
  PutText(object, "platform", spec.platform);
  object["python"] = EscapeVariables(spec.python);
  PutLaunch(object, spec.launch);
  PutText(object, "code", spec.code);
  PutRoles(object, spec);
  PutPairs(object, "inputs", spec.inputs);
  PutOutputs(object, spec);
  PutText(object, "logs", spec.logs);
  if (spec.store) object["store"] = ToJsonObject(*spec.store);
  PutPairs(object, "labels", spec.labels);
  object["workdir"] = spec.workdir;
  PutAfter(object, spec.after);
  object["priority"] = spec.priority;
  object["preemptible"] = spec.preemptible;
  object["retries"] = spec.retries;
  if (spec.on_retry != JobSpec{}.on_retry) object["on_retry"] = spec.on_retry;
  PutLimits(object, spec);
  object["stop"] = json::object{{"grace", Milliseconds(spec.grace_ms)}};
  PutHooks(object, spec.hooks);
  PutInternal(object, spec);
  return object;
}

}  // namespace muster
