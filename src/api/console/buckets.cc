#include "api/console/buckets.h"

#include <functional>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "api/console/download.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "objects/presign.h"

namespace muster::api {
namespace {

using objects::S3Result;

constexpr int64_t kSmallBody = 4 << 10;
constexpr int64_t kLargestUpload = int64_t{5} << 40;
constexpr int64_t kLongestLink = 7 * 24 * 3600;
constexpr int kPage = 500;

Code CodeOf(int status) {
  switch (status) {
    case 403:
      return Code::kDenied;
    case 404:
      return Code::kNotFound;
    case 409:
    case 412:
      return Code::kConflict;
    case 507:
      return Code::kNoSpace;
    default:
      return status < 500 ? Code::kInvalid : Code::kIo;
  }
}

http::Response ErrorAnswer(const objects::S3Error& error) {
  http::Response response =
      http::ErrorResponse({CodeOf(objects::StatusOf(error.code)), error.message, ""});
  response.status = objects::StatusOf(error.code);
  return response;
}

// A reply that a function can hold, which is copied; used and destroyed on the loop only.
using SharedReply = std::shared_ptr<http::Reply>;
SharedReply ShareReply(http::Reply reply) {
  return std::make_shared<http::Reply>(std::move(reply));
}

// Runs `work`, which reads the disk, in the pool, and `answer` with its result on the loop.
template <typename T>
void InPool(const BucketParts& parts, http::Reply reply, std::function<S3Result<T>()> work,
            std::function<void(T, http::Reply)> answer) {
  parts.pool.Run([&loop = parts.loop, reply = ShareReply(std::move(reply)), work = std::move(work),
                  answer = std::move(answer)]() mutable {
    auto result = std::make_shared<S3Result<T>>(work());
    loop.Post([reply = std::move(reply), answer = std::move(answer), result] {
      if (!*result) return reply->Send(ErrorAnswer(result->error()));
      answer(std::move(**result), std::move(*reply));
    });
  });
}

void AnswerJson(json::object object, http::Reply reply) {
  reply.Send(http::JsonResponse(200, object));
}

std::string Text(const http::Request& request, std::string_view name) {
  return std::string(request.Query(name).value_or(""));
}

void ListBuckets(const BucketParts& parts, http::Reply reply) {
  InPool<json::object>(
      parts, std::move(reply),
      [&store = parts.server.store()]() -> S3Result<json::object> {
        MUSTER_ASSIGN(const std::vector<objects::BucketInfo> all, store.Buckets());
        json::array buckets;
        for (const objects::BucketInfo& bucket : all)
          buckets.push_back(json::object{{"name", bucket.name}, {"created_ms", bucket.created_ms}});
        return json::object{{"buckets", std::move(buckets)}};
      },
      AnswerJson);
}

void MakeBucket(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  const auto body = ParseJson(request.body);
  const std::string name(body && body->is_object() ? GetString(body->get_object(), "name") : "");
  InPool<json::object>(
      parts, std::move(reply),
      [&store = parts.server.store(), name]() -> S3Result<json::object> {
        MUSTER_ASSIGN(const bool made, store.MakeBucket(name));
        if (!made)
          return objects::Refuse(objects::S3Code::kBucketAlreadyOwnedByYou,
                                 fmt::format("there is a bucket {} already", name));
        return json::object{{"name", name}};
      },
      AnswerJson);
}

void RemoveBucket(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  InPool<json::object>(
      parts, std::move(reply),
      [&store = parts.server.store(),
       name = std::string(request.Param("bucket"))]() -> S3Result<json::object> {
        MUSTER_TRY(store.RemoveBucket(name));
        return json::object{{"name", name}};
      },
      AnswerJson);
}

json::object PageJson(const objects::ListPage& page) {
  json::array folders, keys;
  for (const std::string& prefix : page.prefixes) folders.push_back(json::value(prefix));
  for (const objects::ListedKey& key : page.keys)
    keys.push_back(json::object{{"key", key.key}, {"size", key.size}, {"mtime_ms", key.mtime_ms}});
  json::value next = nullptr;
  if (page.truncated) next = page.last;
  return {{"folders", std::move(folders)}, {"objects", std::move(keys)}, {"next", std::move(next)}};
}

void ListObjects(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  objects::ListQuery query{.prefix = Text(request, "prefix"),
                           .delimiter = "/",
                           .after = Text(request, "after"),
                           .most = kPage};
  InPool<json::object>(
      parts, std::move(reply),
      [&store = parts.server.store(), bucket = std::string(request.Param("bucket")),
       query = std::move(query)]() -> S3Result<json::object> {
        MUSTER_ASSIGN(const objects::ListPage page, store.List(bucket, query));
        return PageJson(page);
      },
      AnswerJson);
}

// The bytes of an object, or its first `limit` bytes; never as a page of this origin.
void SendObject(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  const std::string key = Text(request, "key");
  using Found = std::shared_ptr<objects::Object>;
  InPool<Found>(
      parts, std::move(reply),
      [&store = parts.server.store(), bucket = std::string(request.Param("bucket")),
       key]() -> S3Result<Found> {
        MUSTER_ASSIGN(objects::Object object, store.Find(bucket, key));
        return std::make_shared<objects::Object>(std::move(object));
      },
      [key, request](const Found& found, http::Reply answer) {
        const int64_t size = found->meta.size;
        const int64_t length = DownloadLength(request, size);
        answer.SendFile(DownloadHead(key, size), {std::move(found->file), 0, length});
      });
}

// An address for others, which works without a sign-in until it expires.
void MakeLink(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  const auto body = ParseJson(request.body);
  const json::object none;
  const json::object& object = body && body->is_object() ? body->get_object() : none;
  const int64_t seconds = GetInt(object, "seconds", 3600);
  const std::string key(GetString(object, "key"));
  if (key.empty() || seconds < 1 || seconds > kLongestLink)
    return reply.Send(http::ErrorResponse(
        {Code::kInvalid, "a link needs key, and seconds from 1 to 604800", ""}));
  const objects::SignedPlace place{parts.server.url(), parts.server.region(),
                                   std::string(request.Param("bucket")), key};
  const std::string url =
      objects::PresignGet(place, parts.server.first_key(), seconds, SystemClock().WallMs());
  reply.Send(http::JsonResponse(201, json::object{{"url", url}}));
}

void RemoveObject(const BucketParts& parts, const http::Request& request, http::Reply reply) {
  InPool<objects::S3Status>(
      parts, std::move(reply),
      [&store = parts.server.store(), bucket = std::string(request.Param("bucket")),
       key = Text(request, "key")]() -> S3Result<objects::S3Status> {
        std::promise<std::vector<objects::S3Status>> removed;
        store.Remove(bucket, {{.key = key}}, [&](std::vector<objects::S3Status> statuses) {
          removed.set_value(std::move(statuses));
        });
        for (objects::S3Status& status : removed.get_future().get()) MUSTER_TRY(std::move(status));
        return objects::S3Status();
      },
      [](const objects::S3Status&, http::Reply answer) { answer.Send({204, {}, {}}); });
}

// The bytes of an upload on their way into the store; an object appears when all have come.
class ObjectSink final : public http::BodySink {
 public:
  ObjectSink(BucketParts parts, std::string bucket, std::string key, objects::TempFile file)
      : parts_(parts), bucket_(std::move(bucket)), key_(std::move(key)), file_(std::move(file)) {}

  Status Write(std::string_view bytes) override { return file_.Write(bytes); }

  // The pool waits until the object will last: the loop goes away after the pool, but before the
  // threads of the store.
  void Finish(http::Reply reply) override {
    InPool<objects::ObjectMeta>(
        parts_, std::move(reply),
        [&store = parts_.server.store(), bucket = bucket_, key = key_,
         file = std::make_shared<objects::TempFile>(
             std::move(file_))]() -> S3Result<objects::ObjectMeta> {
          objects::ObjectMeta meta;
          meta.size = file->size();
          std::promise<S3Result<objects::ObjectMeta>> stored;
          store.Put(bucket, key, std::move(*file), std::move(meta), {},
                    [&](S3Result<objects::ObjectMeta> put) { stored.set_value(std::move(put)); });
          return stored.get_future().get();
        },
        [](const objects::ObjectMeta& put, http::Reply answer) {
          answer.Send(http::JsonResponse(201, json::object{{"size", put.size}}));
        });
  }

 private:
  const BucketParts parts_;
  const std::string bucket_, key_;
  objects::TempFile file_;
};

Result<std::unique_ptr<http::BodySink>> BeginUpload(const BucketParts& parts,
                                                    const http::Request& head) {
  std::string bucket(head.Param("bucket"));
  std::string key = Text(head, "key");
  if (key.empty() || key.ends_with('/'))
    return Fail(Code::kInvalid, "key is not the name of an object", "name a file below the bucket");
  const auto failed = [](const objects::S3Error& error) {
    return Fail(CodeOf(objects::StatusOf(error.code)), error.message);
  };
  if (const auto there = parts.server.store().OpenBucket(bucket); !there)
    return failed(there.error());
  auto file = parts.server.store().NewFile();
  if (!file) return failed(file.error());
  return std::make_unique<ObjectSink>(parts, std::move(bucket), std::move(key), *std::move(file));
}

}  // namespace

void AddBucketRoutes(http::Router& router, BucketParts parts) {
  const auto add = [&](std::string method, std::string path, int64_t body_limit, auto run) {
    router.Add({.method = std::move(method),
                .pattern = "/api/v1/console/buckets" + path,
                .body_limit = body_limit,
                .handler = [parts, run](const http::Request& request, http::Reply reply) {
                  run(parts, request, std::move(reply));
                }});
  };
  add("GET", "", 0, [](const auto& with, const auto&, http::Reply reply) {
    ListBuckets(with, std::move(reply));
  });
  add("POST", "", kSmallBody, MakeBucket);
  add("DELETE", "/{bucket}", 0, RemoveBucket);
  add("GET", "/{bucket}/objects", 0, ListObjects);
  add("GET", "/{bucket}/object", 0, SendObject);
  add("POST", "/{bucket}/links", kSmallBody, MakeLink);
  add("DELETE", "/{bucket}/object", 0, RemoveObject);
  router.Add({.method = "PUT",
              .pattern = "/api/v1/console/buckets/{bucket}/object",
              .body_limit = kLargestUpload,
              .upload = [parts](const http::Request& head) { return BeginUpload(parts, head); }});
}

}  // namespace muster::api
