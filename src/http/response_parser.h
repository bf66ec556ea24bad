#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "http/body_reader.h"
#include "http/message.h"

namespace muster::http {

// Parses one response into a head and the pieces of a body; skips interim responses (100 Continue).
// Stores no bytes: unconsumed bytes must be passed again together with later ones.
class ResponseParser {
 public:
  // `head_only`: a response to HEAD, which has no body whatever its headers say.
  explicit ResponseParser(bool head_only);
  ~ResponseParser();

  // Returns the number of consumed bytes; kCorrupt if it is not HTTP. Stops after the head, and
  // when `take` returns false.
  Result<size_t> Feed(std::string_view bytes, const BodyReader::Taker& take);
  // The connection ended: success if that ends the body, else kUnavailable.
  Status End() const;

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;                   // valid after the head
  std::optional<int64_t> body_left() const;  // valid after the head; nothing if the end is unknown
  Response& response();                      // status and headers

 private:
  class Impl;
  const bool head_only_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::http
