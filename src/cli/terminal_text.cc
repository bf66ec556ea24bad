#include "cli/terminal_text.h"

#include <utility>

#include "base/text.h"

namespace muster::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr size_t kLongestCsi = 64;
constexpr size_t kLongestString = 4096;
constexpr std::string_view kReplacement = "\uFFFD";

bool IsLineEnd(char byte) { return byte == '\n' || byte == '\r'; }
bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Bytes of the character that begins with `lead`; 0: none begins with it.
size_t CharacterSize(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xF0 && byte < 0xF5) return 4;
  if (byte >= 0xE0 && byte < 0xF0) return 3;
  return byte >= 0xC2 && byte < 0xE0 ? 2 : 0;
}

}  // namespace

std::string TerminalText::Take(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char byte : bytes) TakeByte(byte, out);
  return out;
}

std::string TerminalText::Finish() {
  std::string out;
  if (state_ == State::kCharacter) out += kReplacement;
  if (state_ == State::kString || state_ == State::kStringEscape) AbortString(out);
  state_ = State::kText;
  pending_.clear();
  if (std::exchange(coloured_, false)) out += "\x1b[0m";
  return out;
}

void TerminalText::TakeByte(char byte, std::string& out) {
  switch (state_) {
    case State::kCharacter:
      if (IsContinuation(byte)) {
        pending_ += byte;
        if (pending_.size() == CharacterSize(pending_[0])) EndCharacter(out);
        return;
      }
      out += kReplacement;
      pending_.clear();
      state_ = State::kText;
      return TakeText(byte, out);
    case State::kText:
      return TakeText(byte, out);
    case State::kEscape:
      return TakeEscape(byte, out);
    case State::kCharset:
      state_ = State::kText;
      if (IsLineEnd(byte) || byte == kEscape) TakeText(byte, out);
      return;
    case State::kCsi:
      return TakeCsi(byte, out);
    case State::kString:
    case State::kStringEscape:
      return TakeString(byte, out);
  }
}

void TerminalText::TakeText(char byte, std::string& out) {
  const auto code = static_cast<unsigned char>(byte);
  if (byte == kEscape) {
    state_ = State::kEscape;
  } else if (IsLineEnd(byte) || byte == '\t' || (code >= 0x20 && code < 0x7F)) {
    out += byte;
  } else if (code >= 0x80) {
    if (CharacterSize(byte) == 0) {
      out += kReplacement;
      return;
    }
    pending_ = byte;
    state_ = State::kCharacter;
  }
}

// Printable() knows the C1 and the bidirectional controls.
void TerminalText::EndCharacter(std::string& out) {
  out += Printable(pending_);
  pending_.clear();
  state_ = State::kText;
}

void TerminalText::TakeEscape(char byte, std::string& out) {
  state_ = State::kText;
  if (byte == '[') {
    state_ = State::kCsi;
    pending_.clear();
  } else if (std::string_view("]PX^_").contains(byte)) {
    state_ = State::kString;
    pending_.clear();
  } else if (byte >= ' ' && byte <= '/') {
    state_ = State::kCharset;  // one more byte belongs to it
  } else if (IsLineEnd(byte) || byte == kEscape) {
    TakeText(byte, out);
  }
}

void TerminalText::TakeCsi(char byte, std::string& out) {
  if (byte < ' ' || byte == '\x7F' || pending_.size() > kLongestCsi) {
    state_ = State::kText;
    return TakeText(byte, out);
  }
  if (byte < '@') {
    pending_ += byte;
    return;
  }
  state_ = State::kText;
  if (byte == 'm') PassColours(out);
  pending_.clear();
}

void TerminalText::PassColours(std::string& out) {
  if (pending_.find_first_not_of("0123456789;:") != pending_.npos) return;
  coloured_ = pending_.find_first_not_of("0;") != pending_.npos;
  out += "\x1b[";
  out += pending_;
  out += 'm';
}

void TerminalText::TakeString(char byte, std::string& out) {
  if (state_ == State::kStringEscape) {
    state_ = State::kText;
    pending_.clear();
    if (byte != '\\') TakeEscape(byte, out);
    return;
  }
  if (byte == '\a') {
    pending_.clear();
    state_ = State::kText;
  } else if (byte == kEscape) {
    state_ = State::kStringEscape;
  } else if (IsLineEnd(byte) || pending_.size() >= kLongestString) {
    AbortString(out);
    TakeText(byte, out);
  } else {
    pending_ += byte;
  }
}

// A sequence without an end must not hide the text behind it.
void TerminalText::AbortString(std::string& out) {
  out += Printable(pending_);
  pending_.clear();
  state_ = State::kText;
}

}  // namespace muster::cli
