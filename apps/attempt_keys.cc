#include "apps/attempt_keys.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "dialect/store_grants.h"

namespace muster::apps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "store.json";
constexpr int64_t kLargestFile = 1 << 16;
constexpr int kSecretBytes = 20;
// Buckets are looked for in scripts. Not in job files, which would open whole buckets for a prefix.
constexpr std::string_view kScripts[] = {".py", ".sh", ".bash", ".ipynb"};
constexpr uintmax_t kLargestSource = 1 << 20;
constexpr int64_t kMostSource = 64 << 20;

std::string AccessKeyOf(const Job& job, const Attempt& attempt) {
  return fmt::format("JOB{}ATTEMPT{}", job.id, attempt.number);
}

// That of an earlier server, which the ranks have; or empty.
std::string SecretIn(const os::Path& file, const std::string& access_key) {
  const auto text = os::ReadFile(file, kLargestFile);
  const auto value = text ? ParseJson(*text) : Result<json::value>(std::unexpected(text.error()));
  const auto* s3 = value && value->is_object() ? GetObject(value->get_object(), "s3") : nullptr;
  if (s3 == nullptr || GetString(*s3, "access_key") != access_key) return {};
  std::string secret(GetString(*s3, "secret_key"));
  return secret.size() == size_t(2) * kSecretBytes ? secret : "";
}

// The buckets that the scripts of a code snapshot name.
std::set<std::string> BucketsNamedBelow(const os::Path& tree) {
  std::set<std::string> buckets;
  int64_t left = kMostSource;
  std::error_code error;
  for (fs::recursive_directory_iterator it(tree, error), end; !error && it != end && left > 0;
       it.increment(error)) {
    std::error_code ignored;
    const std::string suffix = it->path().extension();
    const bool source = std::ranges::find(kScripts, suffix) != std::end(kScripts) &&
                        !it->is_symlink(ignored) && it->is_regular_file(ignored) &&
                        it->file_size(ignored) <= kLargestSource;
    const auto text = source ? os::ReadFile(it->path(), kLargestSource)
                             : Result<std::string>(Fail(Code::kNotFound, ""));
    if (!text) continue;
    left -= int64_t(text->size());
    buckets.merge(dialect::BucketsNamedIn(*text));
  }
  return buckets;
}

std::vector<objects::Grant> GrantsOf(const JobSpec& spec, JobId job, const os::Path& code) {
  std::vector<objects::Grant> grants;
  for (dialect::StoreGrant& grant : dialect::StoreGrantsOf(spec, job)) {
    grants.push_back({std::move(grant.bucket), std::move(grant.prefix), grant.write});
  }
  if (spec.store || code.empty()) return grants;
  for (const std::string& bucket : BucketsNamedBelow(code)) grants.push_back({bucket, "", true});
  return grants;
}

}  // namespace

Status AttemptKeys::Give(const Job& job, const Attempt& attempt, const os::Path& dir) {
  objects::KeyPair pair{.access_key = AccessKeyOf(job, attempt),
                        .user = fmt::format("job {}", job.id)};
  pair.secret_key = SecretIn(dir / kFile, pair.access_key);
  if (pair.secret_key.empty()) pair.secret_key = os::RandomHex(kSecretBytes);
  const json::object s3{{"endpoint", objects_.url()},
                        {"access_key", pair.access_key},
                        {"secret_key", pair.secret_key},
                        {"region", objects_.region()}};
  MUSTER_TRY(os::WriteFileAtomic(dir / kFile, ToPrettyJson(json::object{{"s3", s3}}), 0600, false));
  const os::Path code = job.spec.code_hash.empty() ? "" : code_.TreeDir(job.spec.code_hash);
  objects_.keys().Lend(std::move(pair),
                       [spec = job.spec, id = job.id, code] { return GrantsOf(spec, id, code); });
  return {};
}

void AttemptKeys::TakeBack(const Job& job, const Attempt& attempt, const os::Path& dir) {
  objects_.keys().TakeBack(AccessKeyOf(job, attempt));
  ::unlink((dir / kFile).c_str());
}

}  // namespace muster::apps
