#include "objects/key_ring.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

namespace muster::objects {
namespace {

constexpr int64_t kLargestFile = 4 << 20;
constexpr mode_t kOwnerOnly = 0600;

bool Covers(const Grant& grant, std::string_view bucket, std::string_view key) {
  return (grant.bucket == "*" || grant.bucket == bucket) && key.starts_with(grant.prefix);
}

json::object ToObject(const KeyPair& pair) {
  json::array grants;
  for (const Grant& grant : pair.grants) {
    grants.push_back(
        json::object{{"bucket", grant.bucket}, {"prefix", grant.prefix}, {"write", grant.write}});
  }
  return {{"access_key", pair.access_key},
          {"secret_key", pair.secret_key},
          {"user", pair.user},
          {"grants", std::move(grants)}};
}

Result<KeyPair> ToPair(const json::value& value, const os::Path& file) {
  const auto* object = value.if_object();
  KeyPair pair;
  if (object != nullptr) {
    pair.access_key = GetString(*object, "access_key");
    pair.secret_key = GetString(*object, "secret_key");
    pair.user = GetString(*object, "user");
  }
  if (pair.access_key.empty() || pair.secret_key.empty()) {
    return Fail(Code::kCorrupt,
                fmt::format("{} has a key without access_key or secret_key", file.string()),
                "mend the file, or remove it and the next start makes a new first key");
  }
  const auto* grants = GetArray(*object, "grants");
  for (const json::value& grant : grants != nullptr ? *grants : json::array()) {
    const auto* fields = grant.if_object();
    if (fields == nullptr) continue;
    pair.grants.push_back({std::string(GetString(*fields, "bucket")),
                           std::string(GetString(*fields, "prefix")), GetBool(*fields, "write")});
  }
  return pair;
}

}  // namespace

bool KeyPair::MayRead(std::string_view bucket, std::string_view key) const {
  return std::ranges::any_of(grants, [&](const Grant& g) { return Covers(g, bucket, key); });
}
bool KeyPair::MayWrite(std::string_view bucket, std::string_view key) const {
  return std::ranges::any_of(grants,
                             [&](const Grant& g) { return g.write && Covers(g, bucket, key); });
}
bool KeyPair::MayUseAllBuckets(bool write) const {
  return std::ranges::any_of(grants, [&](const Grant& g) {
    return g.bucket == "*" && g.prefix.empty() && (g.write || !write);
  });
}
bool KeyPair::MaySeeBucket(std::string_view bucket) const {
  return std::ranges::any_of(grants,
                             [&](const Grant& g) { return g.bucket == "*" || g.bucket == bucket; });
}

Result<std::unique_ptr<KeyRing>> KeyRing::Open(os::Path file) {
  std::unique_ptr<KeyRing> ring(new KeyRing(std::move(file)));
  const MutexLock lock(ring->mutex_);
  MUSTER_TRY(ring->Load());
  return ring;
}

KeyRing::Version KeyRing::Look() const {
  struct stat info{};
  if (::stat(file_.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec, info.st_size};
}

Status KeyRing::Load() {
  const Version version = Look();
  auto text = os::ReadFile(file_, kLargestFile);
  if (!text && text.error().code == Code::kNotFound && pairs_.empty()) {
    pairs_.push_back(
        std::make_shared<KeyPair>(NewKeyPair("owner", {{.bucket = "*", .write = true}})));
    return Save();
  }
  if (!text) return std::unexpected(text.error());
  const auto document = ParseJson(*text);
  const auto* object = document ? document->if_object() : nullptr;
  const auto* keys = object != nullptr ? GetArray(*object, "keys") : nullptr;
  if (keys == nullptr || keys->empty()) {
    return Fail(Code::kCorrupt, fmt::format("{} does not hold a list of keys", file_.string()),
                "mend the file, or remove it and the next start makes a new first key");
  }
  std::vector<std::shared_ptr<const KeyPair>> pairs;
  for (const json::value& value : *keys) {
    MUSTER_ASSIGN(KeyPair pair, ToPair(value, file_));
    pairs.push_back(std::make_shared<KeyPair>(std::move(pair)));
  }
  pairs_ = std::move(pairs);
  version_ = version;
  return {};
}

Status KeyRing::Save() {
  json::array keys;
  for (const auto& pair : pairs_) keys.push_back(ToObject(*pair));
  MUSTER_TRY(os::WriteFileAtomic(file_, ToPrettyJson(json::object{{"keys", std::move(keys)}}),
                                 kOwnerOnly));
  version_ = Look();
  return {};
}

void KeyRing::Refresh(const Version& now) {
  if (now == version_) return;
  version_ = now;  // log the fault once
  if (const Status loaded = Load(); !loaded) {
    LogError("the keys of the object store stay as they were: {}", loaded.error().text);
  }
}

std::shared_ptr<const KeyPair> KeyRing::Find(std::string_view access_key) {
  const Version now = Look();  // without the lock, because every request needs it
  {
    const MutexLock lock(mutex_);
    Refresh(now);
    const auto it = std::ranges::find(
        pairs_, access_key, [](const auto& pair) { return std::string_view(pair->access_key); });
    if (it != pairs_.end()) return *it;
  }
  const auto lent = FindLent(access_key);
  if (!lent) return nullptr;
  // Not under the lock: the grants may be read from many files.
  std::call_once(lent->first_use, [&] {
    KeyPair pair = lent->pair;
    pair.grants = lent->grants();
    lent->ready = std::make_shared<KeyPair>(std::move(pair));
  });
  return lent->ready;
}

std::shared_ptr<KeyRing::Lent> KeyRing::FindLent(std::string_view access_key) {
  const MutexLock lock(mutex_);
  const auto it = lent_.find(access_key);
  return it == lent_.end() ? nullptr : it->second;
}

void KeyRing::Lend(KeyPair pair, std::function<std::vector<Grant>()> grants) {
  const auto lent = std::make_shared<Lent>();
  pair.lent = true;
  lent->pair = std::move(pair);
  lent->grants = std::move(grants);
  const MutexLock lock(mutex_);
  lent_[lent->pair.access_key] = lent;
}

void KeyRing::TakeBack(const std::string& access_key) {
  const MutexLock lock(mutex_);
  lent_.erase(access_key);
}

KeyPair KeyRing::First() const {
  const MutexLock lock(mutex_);
  return *pairs_.front();
}

Status KeyRing::Add(KeyPair pair) {
  const MutexLock lock(mutex_);
  std::erase_if(pairs_, [&](const auto& old) { return old->access_key == pair.access_key; });
  pairs_.push_back(std::make_shared<KeyPair>(std::move(pair)));
  return Save();
}

Status KeyRing::Remove(std::string_view access_key) {
  const MutexLock lock(mutex_);
  if (pairs_.front()->access_key == access_key) {
    return Fail(Code::kConflict, "the first key of the object store cannot be removed",
                "remove its file while no server runs, and the next start makes a new one");
  }
  if (std::erase_if(pairs_, [&](const auto& old) { return old->access_key == access_key; }) == 0) {
    return Fail(Code::kNotFound,
                fmt::format("the object store has no key {}", Printable(access_key)));
  }
  return Save();
}

std::vector<KeyPair> KeyRing::All() const {
  const MutexLock lock(mutex_);
  std::vector<KeyPair> all;
  for (const auto& pair : pairs_) all.push_back(*pair);
  return all;
}

KeyPair NewKeyPair(std::string user, std::vector<Grant> grants) {
  std::string access = os::RandomHex(10);
  std::ranges::transform(access, access.begin(),
                         [](char c) { return c >= 'a' && c <= 'f' ? char(c - 32) : c; });
  return {std::move(access), os::RandomHex(20), std::move(user), std::move(grants)};
}

}  // namespace muster::objects
