#include "http/body_reader.h"

#include <algorithm>

namespace muster::http {
namespace {

constexpr int kMostDigits = 15;  // keeps all sizes within int64_t
constexpr int kMostOverhead = 16 << 10;

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::unexpected<Error> Broken(const char* cause) {
  return Fail(Code::kInvalid, std::string("the chunks of the body are broken: ") + cause,
              "send each as its size in hex, a line break, that many bytes, and a line break");
}

}  // namespace

BodyReader BodyReader::WithLength(int64_t bytes) {
  BodyReader reader(bytes > 0 ? State::kLength : State::kDone);
  reader.left_ = bytes;
  return reader;
}
BodyReader BodyReader::Chunked() { return BodyReader(State::kSize); }
BodyReader BodyReader::UntilEnd() { return BodyReader(State::kUntilEnd); }

Result<size_t> BodyReader::Feed(std::string_view bytes, const Taker& take) {
  size_t used = 0;
  while (used < bytes.size() && !done()) {
    if (state_ == State::kLength || state_ == State::kData || state_ == State::kUntilEnd) {
      const std::string_view piece = NextPiece(bytes.substr(used));
      used += piece.size();
      if (!take(piece)) return used;
    } else {
      MUSTER_TRY(TakeFrame(bytes[used]));
      ++used;
    }
  }
  return used;
}

std::string_view BodyReader::NextPiece(std::string_view bytes) {
  if (until_end()) return bytes;
  const std::string_view piece =
      bytes.substr(0, static_cast<size_t>(std::min(left_, static_cast<int64_t>(bytes.size()))));
  left_ -= static_cast<int64_t>(piece.size());
  if (left_ == 0) state_ = state_ == State::kData ? State::kDataEnd : State::kDone;
  return piece;
}

Status BodyReader::TakeFrame(char c) {
  switch (state_) {
    case State::kSize:
      return TakeSize(c);
    case State::kExtension:
      return TakeText(c, State::kSizeEnd);
    case State::kSizeEnd:
      overhead_ = digits_ = 0;
      return Expect(c, '\n', left_ > 0 ? State::kData : State::kTrailer);
    case State::kDataEnd:
      return Expect(c, '\r', State::kDataEnd2);
    case State::kDataEnd2:
      return Expect(c, '\n', State::kSize);
    case State::kTrailer:
      return c == '\r' ? Expect(c, '\r', State::kLastEnd) : TakeText(c, State::kTrailerEnd);
    case State::kTrailerText:
      return TakeText(c, State::kTrailerEnd);
    case State::kTrailerEnd:
      return Expect(c, '\n', State::kTrailer);
    case State::kLastEnd:
      return Expect(c, '\n', State::kDone);
    case State::kLength:
    case State::kUntilEnd:
    case State::kData:
    case State::kDone:
      break;
  }
  return Fail(Code::kInternal, "a body was read where there is none");
}

Status BodyReader::TakeSize(char c) {
  const int digit = HexValue(c);
  if (digit >= 0) {
    if (++digits_ > kMostDigits) return Broken("a size is beyond all measure");
    left_ = left_ * 16 + digit;
    return {};
  }
  if (digits_ == 0) return Broken("a size is missing");
  if (c == ';') {
    state_ = State::kExtension;
    return {};
  }
  return Expect(c, '\r', State::kSizeEnd);
}

// Skips an extension or a trailer up to its '\r'.
Status BodyReader::TakeText(char c, State after) {
  if (++overhead_ > kMostOverhead) return Broken("a line of it is too long");
  if (c == '\r') {
    state_ = after;
  } else if (IsControl(c)) {
    return Broken("a line of it has a control character");
  } else if (state_ == State::kTrailer) {
    state_ = State::kTrailerText;
  }
  return {};
}

Status BodyReader::Expect(char c, char wanted, State after) {
  if (c != wanted) return Broken("a line break is missing");
  state_ = after;
  return {};
}

}  // namespace muster::http
