#include "http/response_parser.h"

#include <limits>

#include <fmt/format.h>

#include "http/head_parser.h"

namespace muster::http {
namespace {

constexpr uint32_t kLongestHead = 256 << 10;
constexpr size_t kMostFields = 512;

std::unexpected<Error> Garbled(std::string_view cause) {
  return Fail(Code::kCorrupt, fmt::format("cannot read the server's answer: {}", cause),
              "check that the address is a Muster server's");
}

}  // namespace

class ResponseParser::Impl final : public HeadParser<false> {
 public:
  explicit Impl(bool head_only) : HeadParser(kLongestHead, kMostFields), head_only_(head_only) {}

  Result<size_t> Head(std::string_view bytes) {
    ErrorCode error;
    const size_t used = Put(bytes, error);
    if (error) return Garbled(error.message());
    head_bytes_ += used;
    if (head_bytes_ > kLongestHead) return Garbled("its head is too long");
    if (is_header_done()) MUSTER_TRY(ChooseBody());
    return used;
  }

  BodyReader& body() { return body_; }
  Response& response() { return response_; }
  bool keeps() const { return keep_alive() && !body_.until_end(); }

 private:
  Status ChooseBody() {
    const int status = response_.status;
    if (head_only_ || status / 100 == 1 || status == 204 || status == 304) return {};
    const uint64_t length = content_length().value_or(0);
    if (length > uint64_t(std::numeric_limits<int64_t>::max()))
      return Garbled("its length is absurd");
    body_ = chunked()          ? BodyReader::Chunked()
            : content_length() ? BodyReader::WithLength(static_cast<int64_t>(length))
                               : BodyReader::UntilEnd();
    return {};
  }

  Headers& headers() override { return response_.headers; }
  void on_response_impl(int code, Text, int, ErrorCode&) override { response_.status = code; }

  const bool head_only_;
  Response response_;
  size_t head_bytes_ = 0;
  BodyReader body_ = BodyReader::WithLength(0);
};

ResponseParser::ResponseParser(bool head_only)
    : head_only_(head_only), impl_(std::make_unique<Impl>(head_only)) {}
ResponseParser::~ResponseParser() = default;

Result<size_t> ResponseParser::Feed(std::string_view bytes, const BodyReader::Taker& take) {
  if (head_done()) {
    auto used = impl_->body().Feed(bytes, take);
    if (!used) return Garbled(used.error().text);
    return used;
  }
  MUSTER_ASSIGN(const size_t used, impl_->Head(bytes));
  const bool interim = head_done() && response().status / 100 == 1;
  if (interim) impl_ = std::make_unique<Impl>(head_only_);
  return used;
}

Status ResponseParser::End() const {
  if (done() || impl_->body().until_end()) return {};
  return Fail(Code::kUnavailable, "the server closed the connection before its answer was whole",
              "try again; the server's log may say why");
}

bool ResponseParser::head_done() const { return impl_->is_header_done(); }
bool ResponseParser::done() const { return head_done() && impl_->body().done(); }
bool ResponseParser::keep_alive() const { return impl_->keeps(); }
std::optional<int64_t> ResponseParser::body_left() const { return impl_->body().left(); }
Response& ResponseParser::response() { return impl_->response(); }

}  // namespace muster::http
