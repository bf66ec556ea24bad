#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::http {

// Finds the body of a message, and its end, in the bytes after the head. Stores no bytes and
// examines each once. Strict: input that another parser could interpret differently (request
// smuggling) is refused.
class BodyReader {
 public:
  using Taker = std::function<bool(std::string_view)>;  // false ends the reading

  static BodyReader WithLength(int64_t bytes);  // 0 for no body
  static BodyReader Chunked();
  static BodyReader UntilEnd();  // the body ends with the connection

  // Returns the number of consumed bytes: all, unless the body ends earlier or `take` returned
  // false. kInvalid for malformed chunks; the connection must then be closed.
  Result<size_t> Feed(std::string_view bytes, const Taker& take);

  bool done() const { return state_ == State::kDone; }
  bool until_end() const { return state_ == State::kUntilEnd; }
  // The number of remaining bytes, if known.
  std::optional<int64_t> left() const {
    return state_ == State::kLength ? std::optional(left_) : std::nullopt;
  }

 private:
  enum class State {
    kLength,
    kUntilEnd,
    kSize,       // hex digits of the chunk size
    kExtension,  // from ';' to the end of the line
    kSizeEnd,    // the '\n' of the size line
    kData,
    kDataEnd,   // the '\r' after the data
    kDataEnd2,  // the '\n' after the data
    kTrailer,   // start of a line after the last chunk
    kTrailerText,
    kTrailerEnd,
    kLastEnd,  // the '\n' of the final empty line
    kDone,
  };

  explicit BodyReader(State state) : state_(state) {}
  std::string_view NextPiece(std::string_view bytes);
  Status TakeFrame(char c);
  Status TakeSize(char c);
  Status TakeText(char c, State after);
  Status Expect(char c, char wanted, State after);

  State state_;
  int64_t left_ = 0;  // bytes of the body or of the chunk
  int digits_ = 0;    // of the chunk size so far
  int overhead_ = 0;  // bytes of extensions and trailers so far
};

}  // namespace muster::http
