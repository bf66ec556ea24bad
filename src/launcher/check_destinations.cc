#include "launcher/check_destinations.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "launcher/existing_result.h"
#include "launcher/publish_output.h"
#include "transfer/location.h"
#include "transfer/s3_client.h"

namespace muster::launcher {
namespace {

// A store that does not respond for this long does not delay the job further.
constexpr int64_t kPatienceMs = 3000;

// Only an explicit "no such bucket" counts: keys with write access may lack the right to list.
bool IsMissing(const transfer::Location& at, transfer::Stores& stores) {
  if (at.kind != transfer::Location::Kind::kObject) return false;
  const auto store = stores.For(at.profile);
  if (!store) return false;
  const SystemClock clock;
  transfer::S3Client client(*store, clock, kPatienceMs);
  const auto listed = client.List(at.bucket, at.key, "", "", 1);
  return !listed && listed.error().s3_code == "NoSuchBucket";
}

// No job needs to run whose result could not be published.
Status CheckFree(const std::string& name, const transfer::Location& at, transfer::Stores& stores) {
  auto status = CheckNoOtherResult(at, stores, [](const Manifest&) { return false; });
  if (status) return {};
  Error error = std::move(status).error();
  error.text =
      fmt::format("cannot publish the output {} to {}: {}", name, transfer::Show(at), error.text);
  return std::unexpected(std::move(error));
}

}  // namespace

Result<std::vector<std::string>> CheckDestinations(const Staging& staging,
                                                   transfer::Stores& stores) {
  std::vector<std::string> notes;
  for (const auto& [name, url, overwrite] : staging.destinations) {
    const auto at = FolderAt(url);
    if (!at) continue;
    if (!IsMissing(*at, stores)) {
      if (!name.empty() && !overwrite) MUSTER_TRY(CheckFree(name, *at, stores));
      continue;
    }
    const std::string next = "make it: muster objects mb s3://" + at->bucket;
    if (!name.empty())
      return Fail(Code::kNotFound,
                  fmt::format("cannot publish the output {} to {}: there is no bucket {}", name,
                              transfer::Show(*at), at->bucket),
                  next);
    notes.push_back(fmt::format("logs cannot be copied to {}: there is no bucket {}; {}",
                                transfer::Show(*at), at->bucket, next));
  }
  return notes;
}

}  // namespace muster::launcher
