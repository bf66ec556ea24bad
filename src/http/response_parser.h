#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "http/body_reader.h"
#include "http/message.h"

namespace muster::http {

// One response, from bytes to a head and the pieces of a body; interim answers (100 Continue) are
// passed over. It holds no bytes: what a call did not use must be offered again with more behind
// it.
class ResponseParser {
 public:
  // `head_only`: it answers HEAD and has no body, whatever its headers say.
  explicit ResponseParser(bool head_only);
  ~ResponseParser();

  // How many of the bytes were used; kCorrupt when it is no HTTP. Stops after the head, and when
  // `take` says to end.
  Result<size_t> Feed(std::string_view bytes, const BodyReader::Taker& take);
  // The connection ended: fine when that ends the body too, else kUnavailable.
  Status End() const;

  bool head_done() const;
  bool done() const;
  bool keep_alive() const;                   // once the head is done
  std::optional<int64_t> body_left() const;  // the same; nothing where only the body tells its end
  Response& response();                      // status and headers

 private:
  class Impl;
  const bool head_only_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::http
