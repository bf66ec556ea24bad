#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/message.h"

namespace muster::http {

// How the client finds the end of the body.
enum class Framing {
  kNone,        // there is none: 204, 304
  kLength,      // Content-Length
  kChunked,     // a stream in HTTP/1.1
  kUntilClose,  // a stream in HTTP/1.0
};

// Writes the heads of answers, with the headers that every answer has. The handler's own values
// for those that frame the message are left out, and no value can break out of its line.
class HeadWriter {
 public:
  explicit HeadWriter(const Clock& clock) : clock_(clock) {}
  // `length`: of a body that is not in the response itself.
  std::string Write(const Response& response, Framing framing, bool keep_alive,
                    std::optional<int64_t> length = std::nullopt);

 private:
  std::string_view Date();

  const Clock& clock_;
  int64_t date_second_ = -1;  // the second that date_ was made for
  std::string date_;
};

std::string_view ReasonPhrase(int status);

}  // namespace muster::http
