#include "objects/uploads.h"

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "base/log.h"

namespace muster::objects {
namespace {

constexpr const char* kAbout = "about.json";

json::object ToObject(const UploadStart& start) {
  return {{"bucket", start.bucket},
          {"key", s3::Base64(start.key)},  // any bytes
          {"created_ms", start.created_ms},
          {"meta", s3::Base64(WriteMeta(start.meta))},
          {"checksum", start.checksum ? s3::ChecksumName(*start.checksum) : ""},
          {"full_checksum", start.full_checksum}};
}

std::optional<UploadStart> ToStart(const std::string& id, std::string_view text) {
  const auto value = ParseJson(text);
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& object = value->get_object();
  const auto key = s3::FromBase64(GetString(object, "key"));
  const auto meta = s3::FromBase64(GetString(object, "meta"));
  const auto read = meta ? ReadMeta(*meta) : std::nullopt;
  if (!key || !read) return std::nullopt;
  UploadStart start{.id = id, .bucket = std::string(GetString(object, "bucket")), .key = *key};
  start.created_ms = GetInt(object, "created_ms");
  start.meta = *read;
  start.checksum = s3::ChecksumKind(GetString(object, "checksum"));
  start.full_checksum = GetBool(object, "full_checksum");
  return start;
}

}  // namespace

Result<std::unique_ptr<Uploads>> Uploads::Open(ObjectStore& store, os::Path folder) {
  std::unique_ptr<Uploads> uploads(new Uploads(store, std::move(folder)));
  MUSTER_TRY(os::MakeDirs(uploads->folder_, 0700));
  MUSTER_TRY(uploads->LoadAll());
  return uploads;
}

Status Uploads::LoadAll() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string id = entry.path().filename();
    if (const Status loaded = LoadOne(id); !loaded) {
      LogWarning("removed the upload {}: {}", id, loaded.error().text);
      (void)os::RemoveTree(entry.path());
    }
  }
  if (error) return FailErrno(error.value(), "read " + folder_.string());
  return {};
}

Status Uploads::LoadOne(const std::string& id) {
  MUSTER_ASSIGN(const std::string about, os::ReadFile(folder_ / id / kAbout, 1 << 20));
  auto start = ToStart(id, about);
  if (!start) return Fail(Code::kCorrupt, "what it was begun with cannot be read");
  MUSTER_ASSIGN(Folder folder, Folder::Open(folder_ / id));
  auto upload = std::make_shared<Upload>(store_, std::move(*start), std::move(folder));
  MUSTER_TRY(upload->Load());
  const MutexLock lock(mutex_);
  uploads_[id] = std::move(upload);
  return {};
}

S3Result<std::shared_ptr<Upload>> Uploads::Create(UploadStart start) {
  start.id = os::RandomHex(16);
  const os::Path path = folder_ / start.id;
  const bool sync = store_.commits().syncs();
  MUSTER_TRY(os::MakeDirs(path, 0700));
  MUSTER_TRY(os::WriteFileAtomic(path / kAbout, ToJson(ToObject(start)), 0600, sync));
  if (sync) MUSTER_TRY(os::SyncDir(folder_));
  MUSTER_ASSIGN(Folder folder, Folder::Open(path));
  auto upload = std::make_shared<Upload>(store_, std::move(start), std::move(folder));
  const MutexLock lock(mutex_);
  uploads_[upload->start().id] = upload;
  return upload;
}

S3Result<std::shared_ptr<Upload>> Uploads::Find(const std::string& bucket, const std::string& key,
                                                const std::string& id) const {
  const MutexLock lock(mutex_);
  const auto it = uploads_.find(id);
  if (it == uploads_.end() || it->second->start().bucket != bucket ||
      it->second->start().key != key) {
    return Refuse(S3Code::kNoSuchUpload);
  }
  return it->second;
}

void Uploads::Remove(const std::shared_ptr<Upload>& upload) {
  {
    const MutexLock lock(mutex_);
    uploads_.erase(upload->start().id);
  }
  if (const Status removed = os::RemoveTree(folder_ / upload->start().id); !removed) {
    LogWarning("cannot remove what is left of an upload: {}", removed.error().text);
  }
}

void Uploads::AbortAll(const std::string& bucket) {
  for (const auto& upload : InBucket(bucket)) {
    if (upload->Close()) Remove(upload);
  }
}

void Uploads::AbortAbandoned(int64_t before_ms) {
  std::vector<std::shared_ptr<Upload>> old;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, upload] : uploads_) {
      if (upload->last_change_ms() < before_ms) old.push_back(upload);
    }
  }
  for (const auto& upload : old) {
    if (!upload->Close()) continue;
    LogInfo("removed the upload {}, for which nothing came for long", upload->start().id);
    Remove(upload);
  }
}

std::vector<std::shared_ptr<Upload>> Uploads::InBucket(const std::string& bucket) const {
  std::vector<std::shared_ptr<Upload>> found;
  {
    const MutexLock lock(mutex_);
    for (const auto& [id, upload] : uploads_) {
      if (upload->start().bucket == bucket) found.push_back(upload);
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a->start().key, a->start().created_ms, a->start().id) <
           std::tie(b->start().key, b->start().created_ms, b->start().id);
  });
  return found;
}

}  // namespace muster::objects
