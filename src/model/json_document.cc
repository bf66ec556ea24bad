#include <fmt/format.h>

#include "base/text.h"
#include "model/document.h"
#include "model/scalar.h"

namespace muster {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xC0 | (code >> 6));
    out += char(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += char(0xE0 | (code >> 12));
    out += char(0x80 | ((code >> 6) & 0x3F));
    out += char(0x80 | (code & 0x3F));
  } else {
    out += char(0xF0 | (code >> 18));
    out += char(0x80 | ((code >> 12) & 0x3F));
    out += char(0x80 | ((code >> 6) & 0x3F));
    out += char(0x80 | (code & 0x3F));
  }
}

// Strict JSON by recursive descent, because faults need positions and duplicate keys must be
// detected. The depth limit of the builder bounds the recursion.
class JsonText {
 public:
  JsonText(std::string_view text, DocumentBuilder& builder) : text_(text), builder_(builder) {}

  void Document() {
    SkipBlanks();
    Value();
    SkipBlanks();
    if (!AtEnd()) Unexpected("the end of the file after the job");
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }

  bool Take(char c) {
    if (Peek() != c) return false;
    Advance();
    return true;
  }

  // Positions are updated incrementally; counting from the start for each value would be quadratic.
  void Advance() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++position_.line;
      position_.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++position_.column;
    }
  }

  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') Advance();
  }

  [[noreturn]] void Unexpected(std::string expected, std::string hint = {}) const {
    std::string found = "the end of the file";
    if (!AtEnd()) {
      size_t end = at_ + 1;
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
      const std::string_view character = text_.substr(at_, end - at_);
      found = character == "\n" ? "the end of the line" : fmt::format("'{}'", ShortText(character));
    }
    RefuseDocument(position_, std::move(found), std::move(expected), std::move(hint));
  }

  void Value() {
    const Position begin = position_;
    switch (Peek()) {
      case '{':
        return Map();
      case '[':
        return List();
      case '"':
        return builder_.Scalar(json::string(String()), begin);
      case 't':
        return Word("true", true);
      case 'f':
        return Word("false", false);
      case 'n':
        return Word("null", nullptr);
      default:
        if (Peek() == '-' || IsDigit(Peek())) return Number();
        Unexpected("a JSON value", Peek() == '\'' ? "JSON texts stand in double quotes" : "");
    }
  }

  void Map() {
    builder_.BeginMap(position_);
    Advance();
    SkipBlanks();
    if (Take('}')) return builder_.End();
    do {
      SkipBlanks();
      const Position begin = position_;
      if (Peek() != '"') {
        Unexpected("a key in double quotes", Peek() == '}' ? "remove the comma before it" : "");
      }
      builder_.Key(String(), begin);
      SkipBlanks();
      if (!Take(':')) Unexpected("':' after the key");
      SkipBlanks();
      Value();
      SkipBlanks();
    } while (Take(','));
    if (!Take('}')) Unexpected("',' or '}' after a member");
    builder_.End();
  }

  void List() {
    builder_.BeginList(position_);
    Advance();
    SkipBlanks();
    if (Take(']')) return builder_.End();
    do {
      SkipBlanks();
      Value();
      SkipBlanks();
    } while (Take(','));
    if (!Take(']')) Unexpected("',' or ']' after a value");
    builder_.End();
  }

  void Word(std::string_view word, json::value value) {
    const Position begin = position_;
    if (text_.substr(at_, word.size()) != word) Unexpected("a JSON value");
    for (size_t i = 0; i < word.size(); ++i) Advance();
    builder_.Scalar(std::move(value), begin);
  }

  void Digits() {
    if (!IsDigit(Peek())) Unexpected("a digit");
    while (IsDigit(Peek())) Advance();
  }

  void Number() {
    const Position begin = position_;
    const size_t from = at_;
    Take('-');
    if (Take('0')) {
      if (IsDigit(Peek())) Unexpected("a number without zeros in front");
    } else {
      Digits();
    }
    if (Take('.')) Digits();
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      Digits();
    }
    builder_.Scalar(ResolveScalar(text_.substr(from, at_ - from)), begin);
  }

  std::string String() {
    std::string out;
    Advance();
    while (!AtEnd() && Peek() != '"') {
      if (static_cast<unsigned char>(Peek()) < 0x20) {
        Unexpected("text in one line", "write line ends as \\n inside a JSON text");
      }
      if (Peek() == '\\') {
        Escape(out);
      } else {
        out += Peek();
        Advance();
      }
    }
    if (!Take('"')) Unexpected("'\"' at the end of the text");
    return out;
  }

  void Escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const Position begin = position_;
    Advance();
    if (Take('u')) return AppendUtf8(out, Character(begin));
    const size_t index = AtEnd() ? std::string_view::npos : kNames.find(Peek());
    if (index == std::string_view::npos) Unexpected("one of \" \\ / b f n r t u after a backslash");
    out += kMeanings[index];
    Advance();
  }

  uint32_t Character(Position begin) {
    const uint32_t first = Hex();
    if (first < 0xD800 || first > 0xDFFF) return first;
    const bool paired = first < 0xDC00 && Take('\\') && Take('u');
    const uint32_t second = paired ? Hex() : 0;
    if (second < 0xDC00 || second > 0xDFFF) {
      RefuseDocument(begin, "half of a surrogate pair", "\\uD8xx and \\uDCxx together");
    }
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  uint32_t Hex() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const size_t digit = AtEnd() ? std::string_view::npos : kDigits.find(Lower({&text_[at_], 1}));
      if (digit == std::string_view::npos) Unexpected("four hexadecimal digits after \\u");
      code = code * 16 + uint32_t(digit);
      Advance();
    }
    return code;
  }

  std::string_view text_;
  DocumentBuilder& builder_;
  size_t at_ = 0;
  Position position_{.line = 1, .column = 1};
};

}  // namespace

void ReadJsonText(std::string_view text, DocumentBuilder& builder) {
  JsonText(text, builder).Document();
}

}  // namespace muster
