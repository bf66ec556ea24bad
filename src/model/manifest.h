#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// What stands beside a published output: written last and taken away first, so that the output is
// whole where it is, and not where it is not.
inline constexpr std::string_view kManifestName = "muster-manifest.json";

struct ManifestFile {
  std::string name;  // below the destination
  int64_t size = 0;
  std::string sha256;  // hex
};

struct Manifest {
  JobId job = 0;
  int attempt = 1;
  std::string job_name, output, state;
  int64_t published_ms = 0;  // wall clock of the node
  std::vector<ManifestFile> files;

  int64_t bytes() const;
};

json::object ToJsonObject(const Manifest& manifest);
// Without the list of files. kCorrupt when the text is not a manifest.
Result<Manifest> ReadManifestHead(std::string_view text);

// A longer manifest counts as one that cannot be read.
inline constexpr int64_t kLongestManifest = 64 << 20;
// Whether a manifest protects its place from other jobs: it is of a job that succeeded, or cannot
// be read.
bool ProtectsItsPlace(const Result<Manifest>& manifest);
// "the complete result of job 3 (resnet)"
std::string Describe(const Result<Manifest>& manifest);

}  // namespace muster
