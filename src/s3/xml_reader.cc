#include <algorithm>
#include <optional>

#include "base/text.h"
#include "s3/xml.h"

namespace muster::s3 {
namespace {

constexpr size_t kDeepest = 8;
constexpr size_t kMostElements = 100'000;

std::unexpected<Error> Malformed(std::string cause) {
  return Fail(Code::kCorrupt, std::move(cause));
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

void AppendUtf8(std::string& out, uint32_t point) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xc0 | point >> 6);
    byte(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  } else {
    byte(0xf0 | point >> 18);
    byte(0x80 | (point >> 12 & 0x3f));
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  }
}

// "#38" or "#x26": a character that is not a surrogate.
std::optional<uint32_t> CharacterOf(std::string_view reference) {
  reference.remove_prefix(1);
  const bool hex = reference.starts_with('x') || reference.starts_with('X');
  if (hex) reference.remove_prefix(1);
  if (reference.empty() || reference.size() > 7) return std::nullopt;
  uint32_t point = 0;
  for (const char c : reference) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(hex && lower >= 'a' && lower <= 'f')) return std::nullopt;
    point = point * (hex ? 16 : 10) + static_cast<uint32_t>(digit ? c - '0' : lower - 'a' + 10);
  }
  if (point == 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return std::nullopt;
  return point;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Result<XmlElement> Run() {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
    SkipBlanks();
    if (rest_.starts_with("<?xml") && !SkipPast("?>")) return Malformed("its first line is open");
    MUSTER_TRY(SkipBetween());
    if (!rest_.starts_with('<')) return Malformed("it does not begin with an element");
    XmlElement root;
    MUSTER_TRY(ReadTree(root));
    MUSTER_TRY(SkipBetween());
    if (!rest_.empty()) return Malformed("there is something behind its end");
    return root;
  }

 private:
  // Elements from the outermost to the current one.
  Status ReadTree(XmlElement& root) {
    std::vector<XmlElement*> open;
    bool closed = false;
    MUSTER_TRY(ReadTag(root, closed));
    if (!closed) open.push_back(&root);
    while (!open.empty()) {
      XmlElement& current = *open.back();
      MUSTER_TRY(ReadText(current.text));
      if (rest_.starts_with("</")) {
        MUSTER_TRY(ReadEnd(current));
        open.pop_back();
        continue;
      }
      if (open.size() >= kDeepest) return Malformed("it is too deep");
      current.children.emplace_back();
      MUSTER_TRY(ReadTag(current.children.back(), closed));
      if (!closed) open.push_back(&current.children.back());
    }
    return {};
  }

  Status ReadTag(XmlElement& element, bool& closed) {
    if (++elements_ > kMostElements) return Malformed("it has too many elements");
    rest_.remove_prefix(1);
    const std::string_view name = TakeName();
    if (name.empty()) return Malformed("an element has no name");
    element.name = name.substr(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1);
    while (true) {
      SkipBlanks();
      closed = rest_.starts_with("/>");
      if (closed || rest_.starts_with('>')) {
        rest_.remove_prefix(closed ? 2 : 1);
        return {};
      }
      MUSTER_TRY(SkipAttribute());
    }
  }

  Status SkipAttribute() {
    if (TakeName().empty()) return Malformed("a tag is broken");
    SkipBlanks();
    if (!rest_.starts_with('=')) return Malformed("an attribute has no value");
    rest_.remove_prefix(1);
    SkipBlanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '"' && quote != '\'') return Malformed("an attribute has no value");
    rest_.remove_prefix(1);
    const size_t end = rest_.find(quote);
    if (end == std::string_view::npos || rest_.substr(0, end).find('<') != std::string_view::npos) {
      return Malformed("an attribute is open");
    }
    rest_.remove_prefix(end + 1);
    return {};
  }

  Status ReadEnd(const XmlElement& element) {
    rest_.remove_prefix(2);
    const std::string_view name = TakeName();
    SkipBlanks();
    const size_t colon = name.rfind(':');
    const bool same = name.substr(colon == std::string_view::npos ? 0 : colon + 1) == element.name;
    if (!same || !rest_.starts_with('>')) return Malformed("an element is closed by another");
    rest_.remove_prefix(1);
    return {};
  }

  // Up to the next tag.
  Status ReadText(std::string& out) {
    while (!rest_.empty()) {
      const size_t stop = std::min(rest_.find_first_of("<&"), rest_.size());
      out += rest_.substr(0, stop);
      rest_.remove_prefix(stop);
      if (rest_.starts_with('&')) {
        MUSTER_TRY(ReadReference(out));
      } else if (rest_.starts_with("<!--")) {
        if (!SkipPast("-->")) return Malformed("a comment is open");
      } else if (rest_.starts_with("<![CDATA[")) {
        MUSTER_TRY(ReadCharacterData(out));
      } else if (rest_.starts_with("<!") || rest_.starts_with("<?")) {
        return Malformed("declarations and instructions are not taken");
      } else if (!rest_.empty()) {
        return {};
      }
    }
    return Malformed("it ends in the middle");
  }

  Status ReadCharacterData(std::string& out) {
    rest_.remove_prefix(std::string_view("<![CDATA[").size());
    const size_t end = rest_.find("]]>");
    if (end == std::string_view::npos) return Malformed("a CDATA section is open");
    out += rest_.substr(0, end);
    rest_.remove_prefix(end + 3);
    return {};
  }

  Status ReadReference(std::string& out) {
    constexpr size_t kLongest = 10;
    const size_t end = rest_.substr(0, kLongest).find(';');
    if (end == std::string_view::npos) return Malformed("an entity is not known");
    const std::string_view name = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    constexpr std::pair<std::string_view, char> kKnown[] = {
        {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [known, character] : kKnown) {
      if (name == known) {
        out += character;
        return {};
      }
    }
    const auto point = name.starts_with('#') ? CharacterOf(name) : std::nullopt;
    if (!point) return Malformed("an entity is not known");
    AppendUtf8(out, *point);
    return {};
  }

  Status SkipBetween() {
    while (true) {
      SkipBlanks();
      if (!rest_.starts_with("<!--")) return {};
      if (!SkipPast("-->")) return Malformed("a comment is open");
    }
  }

  void SkipBlanks() {
    while (!rest_.empty() && IsBlank(rest_.front())) rest_.remove_prefix(1);
  }
  bool SkipPast(std::string_view mark) {
    const size_t at = rest_.find(mark);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + mark.size());
    return true;
  }
  std::string_view TakeName() {
    const auto end = std::ranges::find_if_not(rest_, IsNameByte);
    const std::string_view name = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(name.size());
    return name;
  }

  std::string_view rest_;
  size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::Find(std::string_view child) const {
  const auto it = std::ranges::find(children, child, &XmlElement::name);
  return it == children.end() ? nullptr : &*it;
}

std::string_view XmlElement::TextOf(std::string_view child) const {
  const XmlElement* found = Find(child);
  return found == nullptr ? std::string_view() : std::string_view(found->text);
}

Result<XmlElement> ReadXml(std::string_view text) {
  if (!IsUtf8(text)) return Malformed("it is not valid UTF-8");
  return Reader(text).Run();
}

}  // namespace muster::s3
