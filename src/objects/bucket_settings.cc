#include "objects/bucket_settings.h"

#include <unistd.h>

#include "base/json.h"

namespace muster::objects {
namespace {

json::array ToArray(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

std::vector<std::string> ToTexts(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const auto* array = GetArray(object, key);
  for (const json::value& value : array != nullptr ? *array : json::array()) {
    if (value.is_string()) texts.emplace_back(value.get_string().c_str());
  }
  return texts;
}

json::object ToObject(const BucketSetting& setting) {
  json::array cors, tags;
  for (const CorsRule& rule : setting.cors) {
    cors.push_back(json::object{{"origins", ToArray(rule.origins)},
                                {"methods", ToArray(rule.methods)},
                                {"headers", ToArray(rule.headers)},
                                {"exposed", ToArray(rule.exposed)},
                                {"max_age_s", rule.max_age_s}});
  }
  for (const auto& [name, value] : setting.tags) tags.push_back(json::array{name, value});
  return {{"cors", std::move(cors)}, {"tags", std::move(tags)}, {"region", setting.region}};
}

BucketSetting ToSetting(const json::object& object) {
  BucketSetting setting{.region = std::string(GetString(object, "region"))};
  const auto* cors = GetArray(object, "cors");
  for (const json::value& value : cors != nullptr ? *cors : json::array()) {
    if (!value.is_object()) continue;
    const json::object& rule = value.get_object();
    setting.cors.push_back({ToTexts(rule, "origins"), ToTexts(rule, "methods"),
                            ToTexts(rule, "headers"), ToTexts(rule, "exposed"),
                            GetInt(rule, "max_age_s")});
  }
  const auto* tags = GetArray(object, "tags");
  for (const json::value& value : tags != nullptr ? *tags : json::array()) {
    const auto* pair = value.if_array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string())
      continue;
    setting.tags.emplace_back((*pair)[0].get_string().c_str(), (*pair)[1].get_string().c_str());
  }
  return setting;
}

}  // namespace

std::shared_ptr<const BucketSetting> BucketSettings::Get(const std::string& bucket) const {
  const MutexLock lock(mutex_);
  auto& known = known_[bucket];
  if (known) return known;
  const auto text = os::ReadFile(folder_ / (bucket + ".json"), 1 << 20);
  const auto value = text ? ParseJson(*text) : Result<json::value>(std::unexpected(text.error()));
  known = std::make_shared<BucketSetting>(
      value && value->is_object() ? ToSetting(value->get_object()) : BucketSetting());
  return known;
}

Status BucketSettings::Set(const std::string& bucket, BucketSetting setting) {
  const MutexLock lock(mutex_);
  MUSTER_TRY(os::WriteFileAtomic(folder_ / (bucket + ".json"), ToPrettyJson(ToObject(setting))));
  known_[bucket] = std::make_shared<BucketSetting>(std::move(setting));
  return {};
}

void BucketSettings::Remove(const std::string& bucket) {
  const MutexLock lock(mutex_);
  ::unlink((folder_ / (bucket + ".json")).c_str());
  known_.erase(bucket);
}

}  // namespace muster::objects
