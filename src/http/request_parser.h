#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace muster::http {

// One request, from bytes to a head and the pieces of a body. It holds no bytes: what a call did
// not use must be offered again with more behind it. After a refusal the connection has to close,
// since nobody can tell where the next request would begin.
class RequestParser {
 public:
  // Gets the body's pieces; an Error ends the request and is its answer.
  using Taker = std::function<Status(std::string_view)>;

  // Fills method, raw_target and headers of `request`, which must outlive the parser.
  RequestParser(int64_t max_header, Request& request);
  ~RequestParser();

  // How many of the bytes were used, or the answer to a request that is none.
  std::expected<size_t, Response> Head(std::string_view bytes);
  std::expected<size_t, Response> Body(std::string_view bytes, const Taker& take);

  bool started() const;    // a byte of it was seen
  bool head_done() const;  // the rest means something only then
  bool done() const;
  bool keep_alive() const;
  bool http11() const;
  bool chunked() const;
  int64_t content_length() const;  // 0 when none is given
  int64_t body_left() const;       // bytes that are still to come; 0: none, or nobody knows

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::http
