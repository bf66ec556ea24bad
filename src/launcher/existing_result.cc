#include "launcher/existing_result.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/clock.h"
#include "os/file.h"

namespace muster::launcher {
namespace {

using transfer::Location;

// The time to wait for a store that does not answer.
constexpr int64_t kPatienceMs = 3000;

// The text of the manifest; nullopt where there is none, or where that cannot be found out.
std::optional<std::string> ReadFromStore(const Location& folder, transfer::Stores& stores) {
  const auto store = stores.For(folder.profile);
  if (!store) return std::nullopt;
  const SystemClock clock;
  transfer::S3Client client(*store, clock, kPatienceMs);
  const Location at = transfer::Below(folder, kManifestName);
  std::string text;
  bool exists = false;
  const auto got = client.Get(
      at.bucket, at.key, {}, [&](const transfer::ObjectInfo&) { exists = true; },
      [&](std::string_view part) {
        text += part;
        return std::ssize(text) <= kLongestManifest;
      });
  if (got) return text;
  return exists ? std::optional(std::string()) : std::nullopt;
}

std::optional<std::string> ReadFromFolder(const Location& folder) {
  const auto text = os::ReadFile(folder.path / kManifestName, kLongestManifest);
  if (text) return *text;
  return text.error().code == Code::kTooLarge ? std::optional(std::string()) : std::nullopt;
}

}  // namespace

Status CheckNoOtherResult(const Location& folder, transfer::Stores& stores,
                          const std::function<bool(const Manifest&)>& own) {
  const auto text = folder.remote() ? ReadFromStore(folder, stores) : ReadFromFolder(folder);
  if (!text) return {};
  const auto manifest = ReadManifestHead(*text);
  if (!ProtectsItsPlace(manifest) || (manifest && own(*manifest))) return {};
  return Fail(Code::kConflict,
              fmt::format("{} holds {}", transfer::Show(folder), Describe(manifest)),
              "publish to another place, such as one with ${job_id} in its name, or set "
              "`overwrite: true` for the output (--overwrite)");
}

}  // namespace muster::launcher
