#include "transfer/objects.h"

#include <algorithm>

#include "transfer/fetch.h"

namespace muster::transfer {
namespace {

template <typename T>
Result<T> Plain(Outcome<T> outcome) {
  if (!outcome) return std::unexpected(std::move(outcome).error().error);
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*outcome);
  }
}

// "a" contains "a" and "a/b", not "ab".
bool IsAtOrBelow(std::string_view key, std::string_view folder) {
  return folder.empty() || folder.ends_with('/') || key.size() == folder.size() ||
         key[folder.size()] == '/';
}

}  // namespace

Objects::Objects(Stores& stores, Observer& observer, CopyOptions options)
    : options_(std::move(options)), session_(options_, stores, observer), worker_(session_) {}

Result<std::vector<BucketInfo>> Objects::Buckets(const std::string& profile) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(profile));
  return Plain(worker_.Try(&client->store(), [&] { return client->Buckets(); }));
}

Status Objects::MakeBucket(const Location& bucket) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(bucket.profile));
  return Plain(worker_.Try(&client->store(), [&] { return client->MakeBucket(bucket.bucket); }));
}

Status Objects::RemoveBucket(const Location& bucket) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(bucket.profile));
  return Plain(worker_.Try(&client->store(), [&] { return client->RemoveBucket(bucket.bucket); }));
}

Status Objects::List(const Location& location, bool recursive,
                     const std::function<bool(Entry)>& take) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(location.profile));
  std::string token;
  do {
    MUSTER_ASSIGN(ListPage page, Plain(worker_.Try(&client->store(), [&] {
                    return client->List(location.bucket, location.key, recursive ? "" : "/", token);
                  })));
    std::vector<Entry> entries;
    for (ObjectInfo& info : page.objects) {
      if (!recursive || IsAtOrBelow(info.key, location.key)) {
        entries.push_back({std::move(info), false});
      }
    }
    for (std::string& prefix : page.prefixes) {
      Entry entry;
      entry.object.key = std::move(prefix);
      entry.is_prefix = true;
      entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, {},
                      [](const Entry& entry) -> const std::string& { return entry.object.key; });
    for (Entry& entry : entries) {
      if (!take(std::move(entry))) return {};
    }
    if (!page.next.empty() && page.next == token) {
      return Fail(Code::kCorrupt, "the server's listing does not go on");
    }
    token = page.next;
  } while (!token.empty());
  return {};
}

Result<std::vector<StoreKey>> Objects::Keys() {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(""));
  return Plain(worker_.Try(&client->store(), [&] { return client->Keys(); }));
}

// Tried only once: a retry after a lost response would leave an unknown key.
Result<StoreKey> Objects::MakeKey(const StoreKey& wanted) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(""));
  return Plain(client->MakeKey(wanted));
}

Status Objects::RevokeKey(const std::string& access_key) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(""));
  return Plain(worker_.Try(&client->store(), [&] { return client->RevokeKey(access_key); }));
}

Result<ObjectInfo> Objects::Stat(const Location& object) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(object.profile));
  return Plain(
      worker_.Try(&client->store(), [&] { return client->Head(object.bucket, object.key); }));
}

Status Objects::Read(const Location& object, int64_t offset, int64_t length,
                     const std::function<bool(std::string_view)>& take) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(object.profile));
  MUSTER_ASSIGN(const ObjectInfo info, Stat(object));
  Item item;
  item.at = object;
  item.size = info.size;
  const int64_t end = length < 0 ? info.size : std::min(info.size, offset + length);
  int64_t at = std::min(offset, info.size);
  bool ended = false;
  while (at < end && !ended) {
    auto fetched = worker_.Try(&client->store(), [&]() -> Outcome<Fetched> {
      const Sink sink = [&](std::string_view bytes) -> Status {
        at += static_cast<int64_t>(bytes.size());
        ended = !take(bytes);
        if (ended) return Fail(Code::kConflict, "nobody reads any more");
        return {};
      };
      return Fetch(worker_, item, {at, end - at, info.etag}, s3::DigestKind::kCrc32c, sink);
    });
    if (!fetched && !ended) return std::unexpected(std::move(fetched).error().error);
  }
  return {};
}

Result<std::string> Objects::Presign(const Location& object, const std::string& method,
                                     int64_t seconds) {
  MUSTER_ASSIGN(S3Client* const client, worker_.StoreFor(object.profile));
  return client->Presign(method, object.bucket, object.key, seconds);
}

}  // namespace muster::transfer
