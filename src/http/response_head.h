#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/message.h"

namespace muster::http {

// How the client detects the end of the body.
enum class Framing {
  kNone,        // no body: 204, 304
  kLength,      // Content-Length
  kChunked,     // a stream in HTTP/1.1
  kUntilClose,  // a stream in HTTP/1.0
};

// Writes response heads with the default headers. Removes framing headers that a handler set, and
// prevents header injection through values.
class HeadWriter {
 public:
  explicit HeadWriter(const Clock& clock) : clock_(clock) {}
  // `length`: of a body that is not part of the response object.
  std::string Write(const Response& response, Framing framing, bool keep_alive,
                    std::optional<int64_t> length = std::nullopt);

 private:
  std::string_view Date();

  const Clock& clock_;
  int64_t date_second_ = -1;  // the second for which date_ was formatted
  std::string date_;
};

std::string_view ReasonPhrase(int status);

}  // namespace muster::http
