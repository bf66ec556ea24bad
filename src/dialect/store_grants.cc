#include "dialect/store_grants.h"

#include <algorithm>

#include "dialect/command.h"
#include "model/source.h"

namespace muster::dialect {
namespace {

constexpr std::string_view kSchemes[] = {"s3://", "obs://"};

bool IsBucketLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

// A place in another store (PROFILE@BUCKET) is none of ours.
void Grant(std::vector<StoreGrant>& grants, std::string_view place, bool write) {
  if (place == "*") return grants.push_back({"*", "", write});
  if (!IsBucket(place)) return;
  const std::string_view rest = place.substr(place.find("://") + 3);
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view bucket = rest.substr(0, slash);
  if (bucket.find('@') != std::string_view::npos) return;
  grants.push_back(
      {std::string(bucket), std::string(rest.substr(std::min(slash + 1, rest.size()))), write});
}

void AddNamed(std::set<std::string>& buckets, std::string_view text) {
  buckets.merge(BucketsNamedIn(text));
}

std::set<std::string> BucketsNamedBy(const JobSpec& spec) {
  std::set<std::string> buckets;
  for (const Role& role : spec.roles) {
    AddNamed(buckets, role.run.text);
    for (const std::string& word : role.run.words) AddNamed(buckets, word);
    for (const auto& [name, value] : role.parameters) AddNamed(buckets, value);
    for (const auto& [name, value] : role.env) AddNamed(buckets, value);
  }
  for (const std::string& hook : {spec.hooks.setup, spec.hooks.on_stop, spec.hooks.on_failure}) {
    AddNamed(buckets, hook);
  }
  return buckets;
}

}  // namespace

std::set<std::string> BucketsNamedIn(std::string_view text) {
  std::set<std::string> buckets;
  for (const std::string_view scheme : kSchemes) {
    for (size_t at = text.find(scheme); at != std::string_view::npos; at = text.find(scheme, at)) {
      at += scheme.size();
      size_t end = at;
      while (end < text.size() && IsBucketLetter(text[end])) ++end;
      const bool is_profile = end < text.size() && text[end] == '@';
      std::string name(text.substr(at, end - at));
      while (name.ends_with('.')) name.pop_back();  // the end of a sentence
      if (name.size() >= 3 && name.size() <= 63 && !is_profile) buckets.insert(std::move(name));
    }
  }
  return buckets;
}

std::vector<StoreGrant> StoreGrantsOf(const JobSpec& spec, JobId job) {
  std::vector<StoreGrant> grants;
  Grant(grants, spec.code, false);
  for (const auto& [name, place] : spec.inputs) Grant(grants, place, false);
  for (const auto& [name, place] : spec.outputs) Grant(grants, WithJobId(place, job), true);
  for (const Publishing& output : spec.published) Grant(grants, WithJobId(output.to, job), true);
  Grant(grants, WithJobId(spec.logs, job), true);
  if (spec.store) {
    for (const std::string& place : spec.store->read) Grant(grants, place, false);
    for (const std::string& place : spec.store->write) Grant(grants, place, true);
  } else {
    for (const std::string& bucket : BucketsNamedBy(spec)) grants.push_back({bucket, "", true});
  }
  return grants;
}

}  // namespace muster::dialect
