#include "model/document.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/scalar.h"

namespace muster {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The first byte that is not valid UTF-8 at its position. Precondition: the text is not UTF-8.
size_t FirstBadByte(std::string_view text) {
  size_t at = 0;
  for (size_t length = 1; length <= 4; ++length) {
    if (at + length > text.size()) return at;
    if (!IsUtf8(text.substr(at, length))) continue;
    at += length;
    length = 0;
  }
  return at;
}

void CheckBytes(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) {
    RefuseDocument({}, fmt::format("{} of text", HumanSize(int64_t(text.size()))),
                   "a job file of at most 1 MiB", "give data to the job through inputs or code");
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    RefuseDocument(PositionOf(text, nul), fmt::format("a NUL at byte {}", nul),
                   "YAML or JSON text in UTF-8",
                   "the file looks like a binary, or like UTF-16 text");
  }
  if (!IsUtf8(text)) {
    const size_t bad = FirstBadByte(text);
    RefuseDocument(PositionOf(text, bad),
                   fmt::format("byte {} (0x{:02X}), which is not UTF-8", bad,
                               static_cast<unsigned char>(text[bad])),
                   "text in UTF-8", "save the file in UTF-8");
  }
}

bool IsJson(std::string_view text, TextFormat format) {
  if (format != TextFormat::kGuess) return format == TextFormat::kJson;
  return Trim(text).starts_with('{');
}

}  // namespace

void RefuseDocument(Position at, std::string found, std::string expected, std::string hint) {
  throw DocumentError(Fault{.path = {},
                            .line = at.line,
                            .column = at.column,
                            .found = std::move(found),
                            .expected = std::move(expected),
                            .hint = std::move(hint)});
}

Position PositionOf(std::string_view text, size_t offset) {
  Position at{.line = 1, .column = 1};
  for (char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++at.column;
    }
  }
  return at;
}

std::expected<json::value, std::vector<Fault>> ReadDocument(std::string_view text,
                                                            TextFormat format, Marks* marks) {
  try {
    CheckBytes(text);
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    DocumentBuilder builder(marks);
    const bool is_json = IsJson(text, format);
    is_json ? ReadJsonText(text, builder) : ReadYamlText(text, builder);
    if (auto faults = builder.TakeFaults(); !faults.empty()) return std::unexpected(faults);
    return builder.TakeRoot();
  } catch (const DocumentError& error) {
    return std::unexpected(std::vector{error.fault});
  }
}

}  // namespace muster
