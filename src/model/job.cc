#include "model/job.h"

#include "model/pairs.h"

namespace muster {
namespace {

json::object ToJson(const NodeClean& clean) {
  return {{"found", clean.found},
          {"killed", clean.killed},
          {"left", clean.left},
          {"took_ms", clean.took_ms},
          {"names", WordsToJson(clean.names)}};
}

NodeClean CleanFromJson(const json::object& object) {
  return {int(GetInt(object, "found")), int(GetInt(object, "killed")), int(GetInt(object, "left")),
          GetInt(object, "took_ms"), WordsFromJson(GetArray(object, "names"))};
}

json::object ToJson(const NodeStatus& node) {
  json::object object{{"name", node.name},   {"record_offset", node.record_offset},
                      {"began", node.began}, {"ended", node.ended},
                      {"lost", node.lost},   {"notes", WordsToJson(node.notes)}};
  if (node.clean) object["clean"] = ToJson(*node.clean);
  if (!node.boot.empty()) object["boot"] = node.boot;
  if (!node.unproven.empty()) object["unproven"] = node.unproven;
  if (!node.confirmed_by.empty()) object["confirmed_by"] = node.confirmed_by;
  if (!node.apart.empty()) object["apart"] = node.apart;
  return object;
}

NodeStatus NodeFromJson(const json::object& object) {
  NodeStatus node;
  node.name = GetString(object, "name");
  node.record_offset = GetInt(object, "record_offset");
  node.began = GetBool(object, "began");
  node.ended = GetBool(object, "ended");
  node.lost = GetBool(object, "lost");
  node.notes = WordsFromJson(GetArray(object, "notes"));
  node.apart = GetString(object, "apart");
  if (const auto* clean = GetObject(object, "clean")) node.clean = CleanFromJson(*clean);
  node.boot = GetString(object, "boot");
  node.unproven = GetString(object, "unproven");
  node.confirmed_by = GetString(object, "confirmed_by");
  return node;
}

json::object ToJson(const RankInfo& rank) {
  json::object object{{"rank", rank.rank}, {"node", rank.node}, {"role", rank.role}};
  if (rank.pid != 0) object["pid"] = rank.pid;
  if (rank.started_ms != 0) object["started_ms"] = rank.started_ms;
  if (rank.ended_ms != 0) object["ended_ms"] = rank.ended_ms;
  if (rank.exit) object["exit"] = ToJsonObject(*rank.exit);
  return object;
}

RankInfo RankFromJson(const json::object& object) {
  RankInfo rank;
  rank.rank = int(GetInt(object, "rank"));
  rank.node = int(GetInt(object, "node"));
  rank.role = GetString(object, "role");
  rank.pid = int(GetInt(object, "pid"));
  rank.started_ms = GetInt(object, "started_ms");
  rank.ended_ms = GetInt(object, "ended_ms");
  if (const auto* exit = GetObject(object, "exit")) rank.exit = ExitReportFromJson(*exit);
  return rank;
}

json::object ToJson(const Cause& cause) {
  return {{"rank", cause.rank},
          {"node", cause.node},
          {"node_name", cause.node_name},
          {"exit", ToJsonObject(cause.exit)},
          {"what", cause.what}};
}

Cause CauseFromJson(const json::object& object) {
  Cause cause;
  cause.rank = int(GetInt(object, "rank", -1));
  cause.node = int(GetInt(object, "node", -1));
  cause.node_name = GetString(object, "node_name");
  if (const auto* exit = GetObject(object, "exit")) cause.exit = ExitReportFromJson(*exit);
  cause.what = GetString(object, "what");
  return cause;
}

json::object ToJson(const PublishStatus& publish) {
  return {{"tries", publish.tries},
          {"token", publish.token},
          {"record_offset", publish.record_offset},
          {"cut", publish.cut},
          {"over", publish.over},
          {"error", publish.error},
          {"notes", WordsToJson(publish.notes)}};
}

PublishStatus PublishFromJson(const json::object& object) {
  return {.tries = int(GetInt(object, "tries")),
          .token = std::string(GetString(object, "token")),
          .record_offset = GetInt(object, "record_offset"),
          .cut = GetBool(object, "cut"),
          .over = GetBool(object, "over"),
          .error = std::string(GetString(object, "error")),
          .notes = WordsFromJson(GetArray(object, "notes"))};
}

template <typename T, typename Read>
void ReadList(const json::object& object, std::string_view key, std::vector<T>& into, Read read) {
  if (const auto* array = GetArray(object, key))
    for (const auto& item : *array)
      if (const auto* member = item.if_object()) into.push_back(read(*member));
}

}  // namespace

json::object ToJsonObject(const Attempt& attempt) {
  json::object object{{"number", attempt.number},
                      {"token", attempt.token},
                      {"allocation", ToJsonObject(attempt.allocation)},
                      {"created_ms", attempt.created_ms},
                      {"started_ms", attempt.started_ms},
                      {"ended_ms", attempt.ended_ms},
                      {"stopped_by", Name(attempt.stopped_by)}};
  if (attempt.stop_asked) object["stop_asked"] = true;
  if (attempt.cause) object["cause"] = ToJson(*attempt.cause);
  if (attempt.exit) object["exit"] = ToJsonObject(*attempt.exit);
  if (attempt.publish) object["publish"] = ToJson(*attempt.publish);
  json::array nodes, ranks;
  for (const auto& node : attempt.nodes) nodes.push_back(ToJson(node));
  for (const auto& rank : attempt.ranks) ranks.push_back(ToJson(rank));
  object["nodes"] = std::move(nodes);
  object["ranks"] = std::move(ranks);
  return object;
}

Attempt AttemptFromJson(const json::object& object) {
  Attempt attempt;
  attempt.number = int(GetInt(object, "number", 1));
  attempt.token = GetString(object, "token");
  if (const auto* allocation = GetObject(object, "allocation"))
    attempt.allocation = AllocationFromJson(*allocation);
  attempt.created_ms = GetInt(object, "created_ms");
  attempt.started_ms = GetInt(object, "started_ms");
  attempt.ended_ms = GetInt(object, "ended_ms");
  attempt.stopped_by = StoppedByFromName(GetString(object, "stopped_by"));
  attempt.stop_asked = GetBool(object, "stop_asked");
  if (const auto* cause = GetObject(object, "cause")) attempt.cause = CauseFromJson(*cause);
  if (const auto* exit = GetObject(object, "exit")) attempt.exit = ExitReportFromJson(*exit);
  if (const auto* publish = GetObject(object, "publish"))
    attempt.publish = PublishFromJson(*publish);
  ReadList(object, "nodes", attempt.nodes, NodeFromJson);
  ReadList(object, "ranks", attempt.ranks, RankFromJson);
  return attempt;
}

json::object ToJsonObject(const Job& job) {
  json::object object{{"id", job.id},
                      {"name", job.spec.name},
                      {"state", Name(job.state)},
                      {"framework", job.spec.framework},
                      {"group", job.group},
                      {"user", job.user},
                      {"reason", job.reason},
                      {"priority", job.spec.priority},
                      {"created_ms", job.created_ms},
                      {"ended_ms", job.ended_ms},
                      {"used_retries", job.used_retries}};
  json::array attempts, ranks;
  for (const auto& attempt : job.attempts) {
    attempts.push_back(ToJsonObject(attempt));
    // Tokens identify the processes of an attempt and are not shown.
    json::object& shown = attempts.back().as_object();
    shown.erase("token");
    if (json::value* publish = shown.if_contains("publish")) publish->as_object().erase("token");
  }
  if (const auto* current = job.current())
    for (const auto& rank : current->ranks) ranks.push_back(ToJson(rank));
  object["attempts"] = std::move(attempts);
  object["ranks"] = std::move(ranks);
  return object;
}

}  // namespace muster
