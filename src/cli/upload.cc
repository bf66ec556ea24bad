#include "cli/upload.h"

#include <map>

#include <fmt/format.h>

namespace muster::cli {
namespace {

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

Status Send(Api& api, const Snapshot& snapshot, const SnapshotFile& file) {
  const std::string target = "/code/blobs/" + file.sha256;
  if (!file.link.empty()) return api.PutBytes(target, file.link);
  const os::Path path = snapshot.root / file.path;
  Status sent = api.PutFile(target, path);
  if (!sent && os::Sha256OfFile(path).value_or("") != file.sha256)
    return Fail(Code::kConflict, fmt::format("{} changed while the code was sent", file.path),
                "wait until nothing writes to it, or list it in .musterignore");
  return sent;
}

}  // namespace

Result<Uploaded> UploadCode(Api& api, const Snapshot& snapshot) {
  const json::object manifest = ManifestJson(snapshot);
  MUSTER_ASSIGN(Answer answer, Offer(api, manifest));
  Uploaded uploaded{answer.hash, answer.missing.size()};
  if (answer.complete) return uploaded;
  std::map<std::string_view, const SnapshotFile*> by_sum;
  for (const SnapshotFile& file : snapshot.files) by_sum.emplace(file.sha256, &file);
  for (const std::string& sum : answer.missing) {
    const auto file = by_sum.find(sum);
    if (file == by_sum.end())
      return Fail(Code::kCorrupt, fmt::format("the server asks for a file nobody named: {}", sum));
    MUSTER_TRY(Send(api, snapshot, *file->second));
  }
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
