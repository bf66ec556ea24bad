// muster objects key: access keys of the server's store.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/object_verbs.h"
#include "cli/screen.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

std::string GrantText(const transfer::KeyGrant& grant) {
  return fmt::format("{} s3://{}/{}", grant.write ? "write" : "read", grant.bucket, grant.prefix);
}

json::object KeyJson(const transfer::StoreKey& key) {
  json::array grants;
  for (const auto& [bucket, prefix, write] : key.grants) {
    grants.push_back(json::object{{"bucket", bucket}, {"prefix", prefix}, {"write", write}});
  }
  json::object object{
      {"access_key", key.access_key}, {"user", key.user}, {"grants", std::move(grants)}};
  if (!key.secret_key.empty()) object["secret_key"] = key.secret_key;
  return object;
}

Result<int> ListKeys(ObjectsCall& call) {
  MUSTER_ASSIGN(const auto keys, call.objects.Keys());
  if (call.args.Has("json")) {
    json::array rows;
    for (const auto& key : keys) rows.push_back(KeyJson(key));
    call.context.screen.Out(ToPrettyJson(json::object{{"keys", std::move(rows)}}));
    return 0;
  }
  Table table({{"ACCESS KEY"}, {"USER"}, {"MAY"}});
  for (const auto& key : keys) {
    std::vector<std::string> grants;
    for (const auto& grant : key.grants) grants.push_back(GrantText(grant));
    table.Add({key.access_key, Printable(key.user), Printable(Join(grants, ", "))});
  }
  call.context.screen.Out(table.Render(call.context.screen));
  return 0;
}

// "s3://bucket/prefix", or "*" for everything.
Result<transfer::KeyGrant> ReadGrant(const std::string& text, bool write) {
  if (text == "*") return transfer::KeyGrant{"*", "", write};
  MUSTER_ASSIGN(const transfer::Location place, transfer::ParseLocation(text));
  if (place.kind != transfer::Location::Kind::kObject) {
    return Fail(Code::kInvalid, fmt::format("{} is not a place in a bucket", transfer::Show(place)),
                "write s3://BUCKET, s3://BUCKET/PREFIX, or \"*\" for all buckets");
  }
  return transfer::KeyGrant{place.bucket, place.key, write};
}

Result<int> MakeKey(ObjectsCall& call, std::span<const std::string> words) {
  transfer::StoreKey wanted;
  if (words.size() == 1) wanted.user = words[0];
  for (const auto& [flag, place] : call.args.AllOf("read", "write")) {
    MUSTER_ASSIGN(auto grant, ReadGrant(place, flag == "write"));
    wanted.grants.push_back(std::move(grant));
  }
  if (wanted.user.empty() || wanted.grants.empty()) {
    return Fail(Code::kInvalid, "objects key add: whose it is and what it may do are missing",
                "muster objects key add USER --read s3://BUCKET/PREFIX --write s3://BUCKET");
  }
  MUSTER_ASSIGN(const transfer::StoreKey key, call.objects.MakeKey(wanted));
  MUSTER_ASSIGN(const auto store, call.stores.For(""));
  const std::string endpoint = store->profile().endpoint;
  if (call.args.Has("json")) {
    json::object object = KeyJson(key);
    object["endpoint"] = endpoint;
    call.context.screen.Out(ToPrettyJson(object));
    return 0;
  }
  // For pasting into a shell. Without the endpoint the keys would have no effect: muster would use
  // the owner's key, and other clients would connect to Amazon.
  call.context.screen.Out(
      fmt::format("AWS_ENDPOINT_URL={}\nAWS_ACCESS_KEY_ID={}\nAWS_SECRET_ACCESS_KEY={}\n"
                  "export AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY\n",
                  ShellQuote(endpoint), key.access_key, key.secret_key));
  call.context.screen.Err(fmt::format(
      "The secret is not shown again. Revoke it with: muster objects key rm {}\n", key.access_key));
  return 0;
}

Result<int> RevokeKeys(ObjectsCall& call, std::span<const std::string> words) {
  if (words.empty()) {
    return Fail(Code::kInvalid, "objects key rm: which one is missing",
                "see them: muster objects key ls");
  }
  for (const std::string& word : words) {
    MUSTER_TRY(call.objects.RevokeKey(word));
    if (!call.args.Has("json")) {
      call.context.screen.Out(fmt::format("revoked {}\n", Printable(word)));
    }
  }
  if (call.args.Has("json")) {
    call.context.screen.Out(
        ToPrettyJson(json::object{{"revoked", json::array(words.begin(), words.end())}}));
  }
  return 0;
}

}  // namespace

Result<int> ManageKeys(ObjectsCall& call) {
  const auto words = std::span(call.args.words).subspan(1);
  const std::string word = words.empty() ? "ls" : words[0];
  const auto rest = words.empty() ? words : words.subspan(1);
  if (word == "ls" && rest.empty()) return ListKeys(call);
  if (word == "add") return MakeKey(call, rest);
  if (word == "rm") return RevokeKeys(call, rest);
  return Fail(
      Code::kInvalid,
      fmt::format("objects key: found \"{}\"",
                  Printable(Join(std::vector<std::string>(words.begin(), words.end()), " "))),
      "use ls, add USER --read PLACE --write PLACE, or rm ACCESS_KEY");
}

}  // namespace muster::cli
