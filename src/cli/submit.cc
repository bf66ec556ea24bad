#include "cli/submit.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "os/file.h"

namespace muster::cli {
namespace {

constexpr int kTries = 3;

Result<Submitted> ReadAnswer(json::object answer) {
  Submitted submitted;
  if (const json::array* jobs = GetArray(answer, "jobs"))
    for (const json::value& item : *jobs)
      if (const json::object* job = item.if_object())
        submitted.jobs.emplace_back(GetInt(*job, "id"), Printable(GetString(*job, "name")));
  if (submitted.jobs.empty())
    return Fail(Code::kCorrupt, "the server took the job but named none",
                "muster ps shows what it has");
  submitted.group = Printable(GetString(answer, "group"));
  submitted.raw = std::move(answer);
  return submitted;
}

}  // namespace

Result<Submitted> SubmitOnce(Api& api, const std::string& target, const json::object& body,
                             int64_t pause_ms) {
  const http::Headers key{{"Idempotency-Key", os::RandomHex(16)}};
  for (int tried = 1;; ++tried) {
    auto answer = api.Post(target, body, key);
    if (answer) return ReadAnswer(std::move(*answer));
    if (!ServerIsAway(answer.error()) || tried == kTries) return std::unexpected(answer.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms * tried));
    (void)api.Reconnect();  // the next Post reports a missing server
  }
}

std::string UserName() {
  for (const char* name : {"USER", "LOGNAME"})
    if (const char* value = std::getenv(name); value && *value)
      return CleanUtf8(std::string_view(value).substr(0, 64));
  return getuid() == 0 ? "root" : fmt::format("uid {}", getuid());
}

}  // namespace muster::cli
