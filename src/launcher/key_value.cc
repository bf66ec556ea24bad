#include "launcher/key_value.h"

namespace muster::launcher {
namespace {

constexpr std::string_view kRankKey = "rank_";
constexpr size_t kLongestName = 1024;

}  // namespace

KeyValue::Answer KeyValue::Handle(std::string_view method, std::string_view path,
                                  std::string_view body) {
  if (!path.starts_with('/')) return {400, {}};
  path.remove_prefix(1);
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == path.size() ||
      path.size() > kLongestName)
    return {400, {}};
  const std::string_view scope = path.substr(0, slash), key = path.substr(slash + 1);
  if (key.contains('/')) return {400, {}};
  if (method == "PUT") return Put(scope, key, body);
  if (method == "GET") return Get(scope, key);
  if (method == "DELETE") return Delete(scope, key);
  return {405, {}};
}

KeyValue::Answer KeyValue::Put(std::string_view scope, std::string_view key,
                               std::string_view body) {
  auto place = scopes_.find(scope);
  const std::string* before = nullptr;
  if (place != scopes_.end()) {
    const auto value = place->second.values.find(key);
    if (value != place->second.values.end()) before = &value->second;
  }
  const size_t grows = before == nullptr ? scope.size() + key.size() + body.size() : body.size();
  const size_t shrinks = before == nullptr ? 0 : before->size();
  if (bytes_ - shrinks + grows > limit_) return {413, {}};
  bytes_ = bytes_ - shrinks + grows;
  if (place == scopes_.end()) place = scopes_.emplace(scope, Scope{}).first;
  if (before == nullptr && key.starts_with(kRankKey)) ++place->second.ranks;
  place->second.values.insert_or_assign(std::string(key), std::string(body));
  return {};
}

KeyValue::Answer KeyValue::Get(std::string_view scope, std::string_view key) const {
  const auto place = scopes_.find(scope);
  if (place == scopes_.end()) return {404, {}};
  const auto value = place->second.values.find(key);
  if (value == place->second.values.end()) return {404, {}};
  return {200, value->second};
}

KeyValue::Answer KeyValue::Delete(std::string_view scope, std::string_view key) {
  const auto place = scopes_.find(scope);
  if (place == scopes_.end() || !place->second.values.contains(key)) return {};
  Scope& of = place->second;
  of.finished.emplace(key);
  if (of.finished.size() >= of.ranks) Drop(place);
  return {};
}

void KeyValue::Drop(Scopes::iterator scope) {
  for (const auto& [key, value] : scope->second.values)
    bytes_ -= scope->first.size() + key.size() + value.size();
  scopes_.erase(scope);
}

}  // namespace muster::launcher
