#include "launcher/companions.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/json.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLargestEndpoint = 1 << 16;

// If the user sets one variable of a family, none of the family is set: a mixture of both would
// reach no store.
constexpr std::string_view kMoxFamily[] = {"S3_ENDPOINT", "S3_USE_HTTPS", "ACCESS_KEY_ID",
                                           "SECRET_ACCESS_KEY"};
constexpr std::string_view kAwsFamily[] = {"AWS_ENDPOINT_URL",
                                           "AWS_ENDPOINT_URL_S3",
                                           "AWS_ACCESS_KEY_ID",
                                           "AWS_SECRET_ACCESS_KEY",
                                           "AWS_PROFILE",
                                           "AWS_CONFIG_FILE",
                                           "AWS_SHARED_CREDENTIALS_FILE",
                                           "AWS_ROLE_ARN"};
constexpr std::string_view kObsFamily[] = {"OBS_ACCESS_KEY_ID", "OBS_SECRET_ACCESS_KEY"};

std::string HashOfPackages() {
  std::string all;
  for (const CompanionFile& file : CompanionFiles()) {
    all.append(file.path).append(1, '\0').append(file.text).append(1, '\0');
  }
  return os::Sha256(all).substr(0, 16);
}

os::Path PackagesFolder(const os::Path& data) {
  static const std::string hash = HashOfPackages();
  return data / "python" / hash;
}

// Compares sizes as well: after a power cut a file may exist without its bytes.
bool IsWhole(const os::Path& folder) {
  return std::ranges::all_of(CompanionFiles(), [&](const CompanionFile& file) {
    const auto size = os::FileSize(folder / file.path);
    return size && *size == int64_t(file.text.size());
  });
}

Status WriteFiles(const os::Path& folder) {
  for (const CompanionFile& file : CompanionFiles()) {
    const os::Path path = folder / file.path;
    MUSTER_TRY(os::MakeDirs(path.parent_path()));
    MUSTER_TRY(os::WriteFileAtomic(path, file.text, 0644, false));
  }
  return {};
}

bool HasOne(const Environment& environment, std::span<const std::string_view> family) {
  return std::ranges::any_of(family, [&](auto name) { return environment.Has(name); });
}

bool HasAwsSettings() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return false;
  std::error_code ignored;
  return fs::exists(os::Path(home) / ".aws/config", ignored) ||
         fs::exists(os::Path(home) / ".aws/credentials", ignored);
}

}  // namespace

Status LayOutCompanions(const os::Path& data) {
  const os::Path folder = PackagesFolder(data);
  if (IsWhole(folder)) return {};
  const os::Path made = folder.parent_path() / "new";
  MUSTER_TRY(os::RemoveTree(made));  // left by a server that was killed
  MUSTER_TRY(os::RemoveTree(folder));
  MUSTER_TRY(WriteFiles(made));
  if (::rename(made.c_str(), folder.c_str()) != 0)
    return FailErrno(errno, "rename " + made.string() + " to " + folder.string());
  return {};
}

void KnowCompanions() { PackagesFolder({}); }

Companions Companions::For(const NodeOrder& order, const std::string& whole) {
  // DATA/jobs/<id>/attempts/<n>
  const os::Path jobs = os::Path(order.attempt_dir).parent_path().parent_path().parent_path();
  const os::Path data = jobs.parent_path();
  Companions found;
  if (jobs.filename() != "jobs") return found;
  found.executable_ = os::SelfPath();
  const os::Path folder = PackagesFolder(data);
  if (folder == whole || IsWhole(folder)) found.packages_ = folder;
  // Of the attempt alone: the key of the server's owner is not for ranks.
  const os::Path file = os::Path(order.attempt_dir) / "store.json";
  found.endpoint_file_ = file;
  found.own_aws_ = HasAwsSettings();
  const auto text = os::ReadFile(file, kLargestEndpoint);
  if (!text) return found;
  const auto value = ParseJson(*text);
  const json::object* const root = value ? value->if_object() : nullptr;
  const json::object* const s3 = root == nullptr ? nullptr : GetObject(*root, "s3");
  if (s3 != nullptr) {
    const auto get = [s3](std::string_view name) { return std::string(GetString(*s3, name)); };
    found.store_ = {get("endpoint"), get("access_key"), get("secret_key"), get("region")};
  }
  return found;
}

void Companions::AddStore(Environment& environment) const {
  const auto& [endpoint, access_key, secret_key, region] = store_;
  if (endpoint.empty() || access_key.empty() || secret_key.empty()) return;
  if (!HasOne(environment, kMoxFamily)) {
    environment.Set(Pairs{{"S3_ENDPOINT", endpoint},
                          {"S3_USE_HTTPS", endpoint.starts_with("https:") ? "1" : "0"},
                          {"S3_VERIFY_SSL", "0"},
                          {"ACCESS_KEY_ID", access_key},
                          {"SECRET_ACCESS_KEY", secret_key}});
  }
  if (!own_aws_ && !HasOne(environment, kAwsFamily)) {
    environment.Set(Pairs{{"AWS_ENDPOINT_URL_S3", endpoint},
                          {"AWS_ACCESS_KEY_ID", access_key},
                          {"AWS_SECRET_ACCESS_KEY", secret_key}});
    if (!environment.Has("AWS_REGION")) environment.Set("AWS_REGION", region);
    if (!environment.Has("AWS_DEFAULT_REGION")) environment.Set("AWS_DEFAULT_REGION", region);
  }
  if (!HasOne(environment, kObsFamily)) {
    environment.Set(
        Pairs{{"OBS_ACCESS_KEY_ID", access_key}, {"OBS_SECRET_ACCESS_KEY", secret_key}});
  }
}

void Companions::AddTo(Environment& environment) const {
  if (!executable_.empty()) environment.Set("MUSTER_EXECUTABLE", executable_);
  if (!packages_.empty()) {
    const std::string others = environment.Get("PYTHONPATH");
    const bool there = others == packages_ || others.starts_with(packages_ + ":");
    if (!there) {
      environment.Set("PYTHONPATH", others.empty() ? packages_ : packages_ + ":" + others);
    }
  }
  if (!endpoint_file_.empty()) environment.Set("MUSTER_ENDPOINT_FILE", endpoint_file_);
  AddStore(environment);
}

void Companions::KeepIn(View& view) const {
  for (const std::string& path : {packages_, executable_})
    if (!path.empty()) view.keep.push_back(path);
  if (!store_.endpoint.empty()) view.keep.push_back(endpoint_file_);
}

}  // namespace muster::launcher
