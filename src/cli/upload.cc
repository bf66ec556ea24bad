#include "cli/upload.h"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace muster::cli {
namespace {

// Of one request; the server takes packs of 16 MiB and 4096 files.
constexpr int64_t kSmallFile = 256 << 10;
constexpr int64_t kMostPackedBytes = 8 << 20;
constexpr size_t kMostPackedFiles = 4096;

struct Answer {
  std::string hash;
  bool complete = false;
  std::vector<std::string> missing;
};

Result<Answer> Offer(Api& api, const json::object& manifest) {
  MUSTER_ASSIGN(const json::object body, api.Post("/code", manifest));
  Answer answer{std::string(GetString(body, "hash")), GetBool(body, "complete"), {}};
  if (const json::array* missing = GetArray(body, "missing"))
    for (const json::value& sum : *missing)
      if (const json::string* text = sum.if_string()) answer.missing.emplace_back(*text);
  if (!answer.complete && answer.missing.empty())
    return Fail(Code::kCorrupt, "the server neither takes the code nor says what it lacks");
  return answer;
}

using Files = std::vector<const SnapshotFile*>;

// The error that explains best why the server refused bytes.
Status ExplainRefusal(const Snapshot& snapshot, const Files& files, Status sent) {
  for (const SnapshotFile* file : files) {
    if (os::Sha256OfFile(snapshot.root / file->path).value_or("") == file->sha256) continue;
    return Fail(Code::kConflict, fmt::format("{} changed while the code was sent", file->path),
                "wait until nothing writes to it, or list it in .musterignore");
  }
  return sent;
}

Status SendOne(Api& api, const Snapshot& snapshot, const SnapshotFile& file) {
  Status sent = api.PutFile("/code/blobs/" + file.sha256, snapshot.root / file.path);
  return sent ? sent : ExplainRefusal(snapshot, {&file}, std::move(sent));
}

Status SendPack(Api& api, const Snapshot& snapshot, const Files& files) {
  std::string pack;
  for (const SnapshotFile* file : files) {
    const auto bytes = os::ReadFile(snapshot.root / file->path, kMostPackedBytes);
    if (!bytes) return ExplainRefusal(snapshot, {file}, std::unexpected(bytes.error()));
    pack += fmt::format("{} {}\n", file->sha256, bytes->size()) + *bytes;
  }
  Status sent = api.PutBytes("/code/blobs", pack);
  if (sent) return sent;
  if (sent.error().code != Code::kNotFound) return ExplainRefusal(snapshot, files, std::move(sent));
  // A server of an older version takes files one by one.
  for (const SnapshotFile* file : files) MUSTER_TRY(SendOne(api, snapshot, *file));
  return {};
}

// Small files go many in one request: each request waits for the disk once.
Status SendAll(Api& api, const Snapshot& snapshot, const Files& files) {
  Files pack;
  int64_t bytes = 0;
  const auto flush = [&]() -> Status {
    if (pack.empty()) return {};
    bytes = 0;
    return SendPack(api, snapshot, std::exchange(pack, {}));
  };
  for (const SnapshotFile* file : files) {
    if (file->size > kSmallFile) {
      MUSTER_TRY(SendOne(api, snapshot, *file));
      continue;
    }
    pack.push_back(file);
    bytes += file->size;
    if (bytes >= kMostPackedBytes || pack.size() == kMostPackedFiles) MUSTER_TRY(flush());
  }
  return flush();
}

}  // namespace

Result<Uploaded> UploadCode(Api& api, const Snapshot& snapshot) {
  const json::object manifest = ManifestJson(snapshot);
  MUSTER_ASSIGN(Answer answer, Offer(api, manifest));
  Uploaded uploaded{answer.hash, answer.missing.size()};
  if (answer.complete) return uploaded;
  std::map<std::string_view, const SnapshotFile*> by_sum;
  for (const SnapshotFile& file : snapshot.files) by_sum.emplace(file.sha256, &file);
  Files files;
  for (const std::string& sum : answer.missing) {
    const auto file = by_sum.find(sum);
    if (file == by_sum.end())
      return Fail(Code::kCorrupt, fmt::format("the server asks for a file nobody named: {}", sum));
    files.push_back(file->second);
  }
  MUSTER_TRY(SendAll(api, snapshot, files));
  MUSTER_ASSIGN(answer, Offer(api, manifest));
  if (!answer.complete)
    return Fail(
        Code::kCorrupt,
        fmt::format("the server still lacks {} files after they were sent", answer.missing.size()),
        "check the disk of the server, then try again");
  uploaded.hash = answer.hash;
  return uploaded;
}

}  // namespace muster::cli
