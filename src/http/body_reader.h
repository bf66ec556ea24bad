#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::http {

// Finds the bytes of a message's body, and its end, among those that follow the head. It holds no
// bytes and needs none twice. Strict: what one reader could take for a chunk and another for the
// next message is refused.
class BodyReader {
 public:
  using Taker = std::function<bool(std::string_view)>;  // false ends the reading

  static BodyReader WithLength(int64_t bytes);  // 0: there is no body
  static BodyReader Chunked();
  static BodyReader UntilEnd();  // of the connection

  // How many of the bytes were used: all of them unless the body ends before, or `take` said to
  // end. kInvalid when the chunks are broken; nothing may be read on then.
  Result<size_t> Feed(std::string_view bytes, const Taker& take);

  bool done() const { return state_ == State::kDone; }
  bool until_end() const { return state_ == State::kUntilEnd; }
  // Bytes that are still to come, where that is known.
  std::optional<int64_t> left() const {
    return state_ == State::kLength ? std::optional(left_) : std::nullopt;
  }

 private:
  enum class State {
    kLength,
    kUntilEnd,
    kSize,       // hex digits of a chunk's size
    kExtension,  // from ';' to the end of the line
    kSizeEnd,    // the '\n' after it
    kData,
    kDataEnd,   // the '\r' after the data
    kDataEnd2,  // and its '\n'
    kTrailer,   // at the beginning of a line behind the last chunk
    kTrailerText,
    kTrailerEnd,
    kLastEnd,  // the '\n' of the empty line that ends it all
    kDone,
  };

  explicit BodyReader(State state) : state_(state) {}
  std::string_view NextPiece(std::string_view bytes);
  Status TakeFrame(char c);
  Status TakeSize(char c);
  Status TakeText(char c, State after);
  Status Expect(char c, char wanted, State after);

  State state_;
  int64_t left_ = 0;  // bytes of the body, or of the chunk
  int digits_ = 0;    // of the chunk's size so far
  int overhead_ = 0;  // bytes of extension or trailer so far
};

}  // namespace muster::http
