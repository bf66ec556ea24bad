#include "api/endpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr int kTokenBytes = 32;
constexpr int64_t kSmallFile = 4 << 10;

os::Path EndpointFile(const os::Path& data) { return data / "endpoint.json"; }

bool IsToken(std::string_view text) {
  return text.size() == 2 * kTokenBytes && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

json::object ReadObject(const os::Path& file) {
  const Result<std::string> text = os::ReadFile(file, kSmallFile);
  if (!text) return {};
  Result<json::value> value = ParseJson(*text);
  return value && value->is_object() ? std::move(value->get_object()) : json::object{};
}

std::unexpected<Error> Taken(const os::Path& data) {
  const json::object first = ReadObject(data / "lock");
  const std::string url(GetString(first, "url"));
  return Fail(Code::kConflict,
              fmt::format("a server uses the data directory {} already: pid {}, {}", data.string(),
                          GetInt(first, "pid"), url.empty() ? "still starting" : url),
              "use that server, stop it, or give this one another --data");
}

}  // namespace

Status WriteEndpoint(const os::Path& data, const Endpoint& endpoint) {
  json::object object{{"url", endpoint.url}, {"token", endpoint.token}, {"pid", endpoint.pid}};
  if (!endpoint.s3.endpoint.empty()) {
    object["s3"] = {{"endpoint", endpoint.s3.endpoint},
                    {"access_key", endpoint.s3.access_key},
                    {"secret_key", endpoint.s3.secret_key},
                    {"region", endpoint.s3.region}};
  }
  return os::WriteFileAtomic(EndpointFile(data), ToPrettyJson(object), kOwnerOnly);
}

void RemoveEndpoint(const os::Path& data, int pid) {
  if (GetInt(ReadObject(EndpointFile(data)), "pid") == pid) ::unlink(EndpointFile(data).c_str());
}

Result<std::string> LoadToken(const os::Path& data) {
  const os::Path file = data / "token";
  Result<std::string> text = os::ReadFile(file, kSmallFile);
  if (!text && text.error().code == Code::kNotFound) {
    std::string token = os::RandomHex(kTokenBytes);
    MUSTER_TRY(os::WriteFileAtomic(file, token + "\n", kOwnerOnly));
    return token;
  }
  if (!text) return text;
  std::string token(Trim(*text));
  if (!IsToken(token))
    return Fail(
        Code::kCorrupt,
        fmt::format("{} does not hold a token of {} hex digits", file.string(), 2 * kTokenBytes),
        "remove it, and the next start makes a new one");
  // A copy or a restore may have changed the mode.
  if (::chmod(file.c_str(), kOwnerOnly) != 0)
    return FailErrno(errno, fmt::format("make {} readable by its owner only", file.string()));
  return token;
}

Result<DataDirLock> DataDirLock::Take(const os::Path& data) {
  MUSTER_TRY(os::MakeDirs(data, 0700));
  MUSTER_ASSIGN(os::Fd file, os::Open(data / "lock", O_RDWR | O_CREAT | O_NOFOLLOW, kOwnerOnly));
  MUSTER_ASSIGN(const bool taken, os::TryLock(file.get()));
  if (!taken) return Taken(data);
  DataDirLock lock(std::move(file));
  MUSTER_TRY(lock.Write(""));
  return lock;
}

Status DataDirLock::SetUrl(const std::string& url) { return Write(url); }

// Written in place, because a new file under the name would not be the locked one.
Status DataDirLock::Write(const std::string& url) {
  const json::object object{{"pid", int64_t(::getpid())}, {"url", url}};
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
    return FailErrno(errno, "rewrite the data directory's lock file");
  return os::WriteAll(file_.get(), ToJson(object) + "\n");
}

}  // namespace muster::api
