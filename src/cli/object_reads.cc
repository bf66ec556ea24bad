// muster objects cat, stat and presign.
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/object_verbs.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

constexpr int64_t kLongestMs = int64_t{7} * 24 * 3600 * 1000;
constexpr int64_t kMostBytes = int64_t{1} << 50;

Status CheckKey(const transfer::Location& place) {
  if (!place.key.empty()) return {};
  return Fail(Code::kInvalid,
              fmt::format("{} is a bucket, expected an object", transfer::Show(place)),
              fmt::format("look into it: muster objects ls s3://{}", place.bucket));
}

json::object InfoJson(const transfer::Location& place, const transfer::ObjectInfo& info) {
  json::object metadata;
  for (const auto& [name, value] : info.kept) metadata[name] = value;
  json::object object{{"bucket", place.bucket}, {"key", place.key},
                      {"size", info.size},      {"modified_ms", info.mtime_ms},
                      {"etag", info.etag},      {"headers", std::move(metadata)}};
  if (info.checksum) {
    object["checksum"] = json::object{{"kind", s3::ChecksumName(info.checksum->kind)},
                                      {"value", info.checksum->value}};
  }
  return object;
}

bool ReaderLeft() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

}  // namespace

Result<int> PrintBytes(Screen& screen, transfer::Objects& objects, const transfer::Location& place,
                       int64_t offset, int64_t length) {
  bool written = true;
  MUSTER_TRY(objects.Read(place, offset, length,
                          [&](std::string_view bytes) { return written = screen.Out(bytes); }));
  if (written) return 0;
  if (ReaderLeft()) return 128 + SIGPIPE;
  return Fail(Code::kIo, "not all of it was taken: standard output is closed or full");
}

Result<int> PrintObjects(ObjectsCall& call) {
  MUSTER_ASSIGN(const auto offset, call.args.Int("offset", 0, kMostBytes));
  MUSTER_ASSIGN(const auto length, call.args.Int("length", 0, kMostBytes));
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(CheckKey(place));
    MUSTER_ASSIGN(const int code, PrintBytes(call.context.screen, call.objects, place,
                                             offset.value_or(0), length.value_or(-1)));
    if (code != 0) return code;
  }
  return 0;
}

Result<int> ShowObjects(ObjectsCall& call) {
  json::array rows;
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(CheckKey(place));
    MUSTER_ASSIGN(const transfer::ObjectInfo info, call.objects.Stat(place));
    rows.push_back(InfoJson(place, info));
    if (call.args.Has("json")) continue;
    std::vector<std::pair<std::string, std::string>> facts = {
        {"object", transfer::Show(place)},
        {"size", fmt::format("{} ({} bytes)", HumanSize(info.size), info.size)},
        {"modified", WallTime(info.mtime_ms)},
        {"etag", info.etag}};
    if (info.checksum) {
      facts.emplace_back(Lower(s3::ChecksumName(info.checksum->kind)), info.checksum->value);
    }
    for (const auto& [name, value] : info.kept) facts.emplace_back(name, Printable(value));
    call.context.screen.Out(Facts(call.context.screen, facts));
  }
  if (call.args.Has("json")) {
    call.context.screen.Out(ToPrettyJson(json::object{{"objects", std::move(rows)}}));
  }
  return 0;
}

Result<int> SignAddress(ObjectsCall& call) {
  MUSTER_ASSIGN(const int64_t ms, ParseDuration(call.args.Get("expires", "1h")));
  const std::string method = call.args.Get("method", "GET");
  if (ms < 1000 || ms > kLongestMs) {
    return Fail(Code::kInvalid, "--expires: expected from one second to 7 days");
  }
  if (method != "GET" && method != "PUT") {
    return Fail(Code::kInvalid, fmt::format("--method: found {}, expected GET or PUT",
                                            ShellQuote(Printable(method))));
  }
  json::array rows;
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(CheckKey(place));
    MUSTER_ASSIGN(const std::string url, call.objects.Presign(place, method, ms / 1000));
    rows.emplace_back(url);
    if (!call.args.Has("json")) call.context.screen.Out(url + "\n");
  }
  if (call.args.Has("json")) {
    call.context.screen.Out(ToPrettyJson(json::object{{"urls", std::move(rows)}}));
  }
  return 0;
}

}  // namespace muster::cli
