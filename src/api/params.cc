#include "api/params.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::api {
namespace {

constexpr size_t kKeyLimit = 128;

std::string_view StateNameLike(std::string_view word) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kStateCount; ++i) names.push_back(Name(State(i)));
  return DidYouMean(word, names);
}

// Every quoted value goes through here: what a client sent is never echoed raw or at length.
std::string Quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  const std::string clean = Printable(text.substr(0, kShown));
  return fmt::format("\"{}{}\"", clean, text.size() > kShown ? "…" : "");
}

Status CheckInt(const Param& param, std::string_view text) {
  const std::optional<int64_t> number = ParseInt(text);
  if (number && *number >= param.min && *number <= param.max) return {};
  const bool open_ended = param.max == std::numeric_limits<int64_t>::max();
  const std::string range = open_ended ? fmt::format("{} or more", param.min)
                                       : fmt::format("between {} and {}", param.min, param.max);
  return Fail(Code::kInvalid, fmt::format("{} is {}; expected a whole number, {}", param.name,
                                          Quoted(text), range));
}

Status CheckStates(const Param& param, std::string_view text) {
  for (const std::string& word : Split(text, ',')) {
    if (StateFromName(word)) continue;
    const std::string_view near = StateNameLike(word);
    return Fail(
        Code::kInvalid, fmt::format("{} has {}, which is no state", param.name, Quoted(word)),
        near.empty() ? "use queued, starting, running, stopping, succeeded, failed or stopped, "
                       "with commas between"
                     : fmt::format("did you mean {}?", near));
  }
  return {};
}

Status CheckText(const Param& param, std::string_view text) {
  if (text.size() > kTextLimit)
    return Fail(Code::kInvalid, fmt::format("{} is {} bytes long; at most {} are taken", param.name,
                                            text.size(), kTextLimit));
  if (!IsUtf8(text)) return Fail(Code::kInvalid, fmt::format("{} is not valid UTF-8", param.name));
  return {};
}

Status CheckSha256(const Param& param, std::string_view text) {
  const bool hex = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (hex && text.size() == 64) return {};
  return Fail(Code::kInvalid,
              fmt::format("{} is {}; expected 64 lower-case hex digits", param.name, Quoted(text)));
}

Status CheckValue(const Param& param, std::string_view text) {
  switch (param.kind) {
    case Param::Kind::kInt:
      return CheckInt(param, text);
    case Param::Kind::kStates:
      return CheckStates(param, text);
    case Param::Kind::kText:
      return CheckText(param, text);
    case Param::Kind::kSha256:
      return CheckSha256(param, text);
    case Param::Kind::kFlag:
      if (text == "0" || text == "1" || text == "true" || text == "false") return {};
      return Fail(Code::kInvalid,
                  fmt::format("{} is {}; expected 1 or 0", param.name, Quoted(text)));
  }
  return {};
}

Status UnknownName(const Operation& operation, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Param& param : operation.query) known.push_back(param.name);
  const std::string_view near = DidYouMean(name, known);
  std::string next;
  if (!near.empty()) {
    next = fmt::format("did you mean {}?", near);
  } else if (known.empty()) {
    next = "leave the query away";
  } else {
    next = fmt::format("it takes {}", fmt::join(known, ", "));
  }
  return Fail(Code::kInvalid,
              fmt::format("{} {}{} has no query value named {}", operation.method, kPrefix,
                          operation.path, Quoted(name)),
              std::move(next));
}

Status CheckQuery(const Operation& operation, const http::Request& request) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : request.query) {
    const auto param = std::ranges::find(operation.query, name, &Param::name);
    if (param == operation.query.end()) return UnknownName(operation, name);
    if (!seen.insert(name).second)
      return Fail(Code::kInvalid, fmt::format("{} is given twice", name), "give it once");
    MUSTER_TRY(CheckValue(*param, value));
  }
  return {};
}

Status CheckKey(const http::Request& request) {
  const std::string_view key = http::FindHeader(request.headers, "Idempotency-Key");
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 0x7f; });
  if (key.size() <= kKeyLimit && printable) return {};
  return Fail(Code::kInvalid,
              fmt::format("the Idempotency-Key must be at most {} printable characters without "
                          "blanks; {} bytes came",
                          kKeyLimit, key.size()),
              "use a random UUID");
}

}  // namespace

Status CheckParams(const Operation& operation, const http::Request& request) {
  for (const std::string& name : PathNames(operation.path))
    MUSTER_TRY(CheckValue(PathParam(name), request.Param(name)));
  MUSTER_TRY(CheckQuery(operation, request));
  if (operation.takes_key) MUSTER_TRY(CheckKey(request));
  return {};
}

int64_t PathInt(const http::Request& request, std::string_view name) {
  return ParseInt(request.Param(name)).value_or(0);
}

std::optional<int64_t> QueryInt(const http::Request& request, std::string_view name) {
  const auto text = request.Query(name);
  return text ? ParseInt(*text) : std::nullopt;
}

bool QueryFlag(const http::Request& request, std::string_view name) {
  const auto text = request.Query(name);
  return text && (*text == "1" || *text == "true");
}

std::string QueryText(const http::Request& request, std::string_view name) {
  return std::string(request.Query(name).value_or(""));
}

std::vector<State> QueryStates(const http::Request& request, std::string_view name) {
  std::vector<State> states;
  if (const auto text = request.Query(name))
    for (const std::string& word : Split(*text, ','))
      if (const auto state = StateFromName(word)) states.push_back(*state);
  return states;
}

std::string IdempotencyKey(const http::Request& request) {
  return std::string(http::FindHeader(request.headers, "Idempotency-Key"));
}

}  // namespace muster::api
