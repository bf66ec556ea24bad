#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace muster::http {

// Parses one request into a head and the pieces of a body. Stores no bytes: unconsumed bytes must
// be passed again together with later ones. After a refusal the connection must be closed, because
// the start of the next request is unknown.
class RequestParser {
 public:
  // Receives the pieces of the body; an Error ends the request and becomes its response.
  using Taker = std::function<Status(std::string_view)>;

  // Fills method, raw_target and headers of `request`, which must outlive the parser.
  RequestParser(int64_t max_header, Request& request);
  ~RequestParser();

  // Returns the number of consumed bytes, or the response to an invalid request.
  std::expected<size_t, Response> Head(std::string_view bytes);
  std::expected<size_t, Response> Body(std::string_view bytes, const Taker& take);

  bool started() const;    // a byte was received
  bool head_done() const;  // the functions below are valid only if true
  bool done() const;
  bool keep_alive() const;
  bool http11() const;
  bool chunked() const;
  int64_t content_length() const;  // 0 if absent
  int64_t body_left() const;       // remaining bytes; 0 if none or unknown

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::http
