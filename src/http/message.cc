#include "http/message.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"

namespace muster::http {

std::string_view FindHeader(const Headers& headers, std::string_view name) {
  const auto it =
      std::ranges::find_if(headers, [&](const auto& h) { return SameWord(h.first, name); });
  return it == headers.end() ? std::string_view() : it->second;
}

std::string_view Request::Param(std::string_view name) const {
  const auto it = std::ranges::find(params, name, [](const auto& p) { return p.first; });
  return it == params.end() ? std::string_view() : it->second;
}

std::optional<std::string_view> Request::Query(std::string_view name) const {
  const auto it = std::ranges::find(query, name, [](const auto& p) { return p.first; });
  if (it == query.end()) return std::nullopt;
  return it->second;
}

Response JsonResponse(int status, const json::value& value) {
  return {status, {{"Content-Type", "application/json"}}, ToJson(value) + "\n"};
}

Response ErrorResponse(const Error& error) {
  return JsonResponse(
      StatusOf(error.code),
      {{"error", {{"code", CodeName(error.code)}, {"message", error.text}, {"next", error.next}}}});
}

int StatusOf(Code code) {
  switch (code) {
    case Code::kInvalid:
      return 400;
    case Code::kNotFound:
      return 404;
    case Code::kExists:
    case Code::kConflict:
      return 409;
    case Code::kDenied:
      return 403;
    case Code::kTooLarge:
      return 413;
    case Code::kTimeout:
      return 504;
    case Code::kUnavailable:
      return 503;
    case Code::kNoSpace:
      return 507;
    case Code::kIo:
    case Code::kCorrupt:
    case Code::kInternal:
      return 500;
  }
  return 500;
}

Reply& Reply::operator=(Reply&& other) noexcept {
  if (this != &other) {
    Reply dropped(std::exchange(sink_, std::move(other.sink_)));
  }
  return *this;
}

Reply::~Reply() {
  if (!sink_) return;
  LogError("a handler let go of a request without answering it");
  Send(ErrorResponse({Code::kInternal, "the server did not answer this request",
                      "look into the server's log, and report this as a fault"}));
}

void Reply::Send(Response response) {
  if (const auto sink = std::exchange(sink_, nullptr)) sink->Send(std::move(response));
}

void Reply::SendStream(Response head, std::unique_ptr<Stream> stream) {
  if (const auto sink = std::exchange(sink_, nullptr)) {
    sink->SendStream(std::move(head), std::move(stream));
  }
}

void Reply::SendFile(Response head, FileBody body) {
  if (const auto sink = std::exchange(sink_, nullptr)) {
    sink->SendFile(std::move(head), std::move(body));
  }
}

}  // namespace muster::http
