#include <fmt/format.h>

#include "base/text.h"
#include "s3/xml.h"

namespace muster::s3 {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// U+FFFE and U+FFFF, which are valid UTF-8 but not XML characters.
bool IsNoncharacter(std::string_view three) {
  return three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf";
}

}  // namespace

std::string XmlEscape(std::string_view text) {
  const std::string clean = CleanUtf8(text);
  std::string escaped;
  escaped.reserve(clean.size() + 16);
  for (size_t i = 0; i < clean.size(); ++i) {
    const char c = clean[i];
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (c == '\t' || c == '\n' || c == '\r') {
          escaped += fmt::format("&#x{:X};", static_cast<unsigned>(c));
        } else if (static_cast<unsigned char>(c) < 0x20) {
          escaped += kReplacement;
        } else if (c == '\xef' && IsNoncharacter(std::string_view(clean).substr(i, 3))) {
          escaped += kReplacement;
          i += 2;
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

XmlWriter::XmlWriter(std::string_view root, std::string_view name_space) {
  text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  open_.emplace_back(root);
  if (name_space.empty()) {
    text_ += fmt::format("<{}>", root);
  } else {
    text_ += fmt::format("<{} xmlns=\"{}\">", root, name_space);
  }
}

XmlWriter& XmlWriter::Open(std::string_view name) {
  text_.append("<").append(name) += '>';
  open_.emplace_back(name);
  return *this;
}

XmlWriter& XmlWriter::Close() {
  text_.append("</").append(open_.back()) += '>';
  open_.pop_back();
  return *this;
}

XmlWriter& XmlWriter::Add(std::string_view name, std::string_view text) {
  text_.append("<").append(name).append(">").append(XmlEscape(text)).append("</").append(name) +=
      '>';
  return *this;
}

XmlWriter& XmlWriter::Add(std::string_view name, int64_t number) {
  return Add(name, std::to_string(number));
}

std::string XmlWriter::Finish() {
  while (!open_.empty()) Close();
  return std::move(text_);
}

}  // namespace muster::s3
