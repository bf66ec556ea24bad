#include "model/manifest.h"

#include <fmt/format.h>

namespace muster {

namespace {
constexpr int kVersion = 1;
}  // namespace

int64_t Manifest::bytes() const {
  int64_t sum = 0;
  for (const ManifestFile& file : files) sum += file.size;
  return sum;
}

json::object ToJsonObject(const Manifest& manifest) {
  json::array files;
  for (const auto& [name, size, sha256] : manifest.files)
    files.push_back(json::object{{"name", name}, {"size", size}, {"sha256", sha256}});
  return {{"version", kVersion},
          {"job", manifest.job},
          {"job_name", manifest.job_name},
          {"attempt", manifest.attempt},
          {"state", manifest.state},
          {"output", manifest.output},
          {"published_ms", manifest.published_ms},
          {"bytes", manifest.bytes()},
          {"files", std::move(files)}};
}

Result<Manifest> ReadManifestHead(std::string_view text) {
  MUSTER_ASSIGN(const json::value value, ParseJson(text));
  const auto* object = value.if_object();
  if (object == nullptr || GetInt(*object, "version") == 0)
    return Fail(Code::kCorrupt, "the manifest is not a JSON object with a version");
  return Manifest{.job = GetInt(*object, "job"),
                  .attempt = int(GetInt(*object, "attempt")),
                  .job_name = std::string(GetString(*object, "job_name")),
                  .output = std::string(GetString(*object, "output")),
                  .state = std::string(GetString(*object, "state")),
                  .published_ms = GetInt(*object, "published_ms"),
                  .files = {}};
}

bool ProtectsItsPlace(const Result<Manifest>& manifest) {
  return !manifest || manifest->state == "succeeded";
}

std::string Describe(const Result<Manifest>& manifest) {
  if (!manifest) return "the complete result of a job that its manifest does not name";
  return fmt::format("the complete result of job {} ({})", manifest->job, manifest->job_name);
}

}  // namespace muster
