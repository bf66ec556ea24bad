#include "http/request_parser.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "http/body_reader.h"
#include "http/head_parser.h"

namespace muster::http {
namespace {

constexpr size_t kMostFields = 128;

Response Refusal(int status, Code code, std::string text, std::string next) {
  Response response = ErrorResponse({code, std::move(text), std::move(next)});
  response.status = status;
  return response;
}

Response TooLongHead(int64_t limit) {
  return Refusal(
      431, Code::kTooLarge,
      fmt::format("the request's head is above {} bytes or {} fields", limit, kMostFields),
      "send fewer or shorter headers");
}

Response Malformed(std::string_view cause) {
  return Refusal(400, Code::kInvalid, fmt::format("cannot read the request: {}", cause),
                 "send HTTP/1.1 as RFC 9112 has it");
}

}  // namespace

class RequestParser::Impl final : public HeadParser<true> {
 public:
  Impl(int64_t max_header, Request& request)
      : HeadParser(static_cast<uint32_t>(std::clamp<int64_t>(max_header, 1, UINT32_MAX)),
                   kMostFields),
        max_header_(max_header),
        request_(request) {}

  std::expected<size_t, Response> Head(std::string_view bytes) {
    const size_t blank = SkipBlankLines(bytes);
    bytes.remove_prefix(blank);
    size_t used = 0;
    // A single '\r' may be the start of another empty line.
    if (!bytes.empty() && (got_some() || bytes != "\r")) {
      ErrorCode error;
      used = Put(bytes, error);
      if (error) return std::unexpected(Explain(error));
    }
    // Beast limits each call; this limits the sum.
    head_bytes_ += static_cast<int64_t>(blank + used);
    const auto waiting = is_header_done() ? 0 : static_cast<int64_t>(bytes.size() - used);
    if (head_bytes_ + waiting > max_header_) return std::unexpected(TooLongHead(max_header_));
    if (is_header_done()) {
      if (auto fault = FramingFault()) return std::unexpected(std::move(*fault));
      if (auto fault = CredentialsFault()) return std::unexpected(std::move(*fault));
      body_ = chunked() ? BodyReader::Chunked() : BodyReader::WithLength(length());
      taken_ = true;
    }
    return blank + used;
  }

  bool taken() const { return taken_; }
  BodyReader& body() { return body_; }
  bool http11() const { return http11_; }
  int64_t length() const { return static_cast<int64_t>(content_length().value_or(0)); }

 private:
  // Old clients send an extra empty line after a body.
  size_t SkipBlankLines(std::string_view bytes) const {
    size_t blank = 0;
    while (!got_some() && bytes.substr(blank).starts_with("\r\n")) blank += 2;
    return blank;
  }

  // Refuses every request whose body length is ambiguous.
  std::optional<Response> FramingFault() const {
    for (const auto& [name, value] : request_.headers) {
      if (Lower(name) != "transfer-encoding" || Lower(value) == "chunked") continue;
      return Refusal(
          501, Code::kInvalid,
          fmt::format("the transfer encoding \"{}\" is not known here", Printable(value)),
          "send the body with Content-Length, or chunked and nothing else");
    }
    if (chunked() && !http11_) return Malformed("HTTP/1.0 has no chunked bodies");
    if (content_length().value_or(0) > uint64_t(std::numeric_limits<int64_t>::max())) {
      return Malformed("Content-Length is beyond all measure");
    }
    return std::nullopt;
  }

  // With two of them a proxy may check one, and the server another.
  std::optional<Response> CredentialsFault() const {
    const auto count = std::ranges::count_if(request_.headers, [](const auto& header) {
      return SameWord(header.first, "Authorization");
    });
    if (count <= 1) return std::nullopt;
    return Refusal(400, Code::kInvalid,
                   fmt::format("the request has {} Authorization headers", count), "send one");
  }

  Response Explain(ErrorCode error) const {
    if (error == boost::beast::http::error::header_limit) return TooLongHead(max_header_);
    return Malformed(error.message());
  }

  Headers& headers() override { return request_.headers; }
  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                       ErrorCode&) override {
    request_.method = ToString(method);
    request_.raw_target = ToString(target);
    http11_ = version == 11;
  }

  const int64_t max_header_;
  Request& request_;
  int64_t head_bytes_ = 0;
  bool http11_ = true;
  bool taken_ = false;  // read completely and accepted
  BodyReader body_ = BodyReader::WithLength(0);
};

RequestParser::RequestParser(int64_t max_header, Request& request)
    : impl_(std::make_unique<Impl>(max_header, request)) {}
RequestParser::~RequestParser() = default;

std::expected<size_t, Response> RequestParser::Head(std::string_view bytes) {
  return impl_->Head(bytes);
}
std::expected<size_t, Response> RequestParser::Body(std::string_view bytes, const Taker& take) {
  Status taken;
  const auto used = impl_->body().Feed(bytes, [&](std::string_view piece) {
    taken = take(piece);
    return taken.has_value();
  });
  if (!used) return std::unexpected(ErrorResponse(used.error()));
  if (!taken) return std::unexpected(ErrorResponse(taken.error()));
  return *used;
}

bool RequestParser::started() const { return impl_->got_some(); }
bool RequestParser::head_done() const { return impl_->taken(); }
bool RequestParser::done() const { return impl_->taken() && impl_->body().done(); }
bool RequestParser::keep_alive() const { return impl_->keep_alive(); }
bool RequestParser::http11() const { return impl_->http11(); }
bool RequestParser::chunked() const { return impl_->chunked(); }
int64_t RequestParser::content_length() const { return impl_->length(); }
int64_t RequestParser::body_left() const { return impl_->body().left().value_or(0); }

}  // namespace muster::http
