#include "cli/ignore.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"

namespace muster::cli {
namespace {

using Set = std::bitset<256>;

void AddRange(Set& set, unsigned char low, unsigned char high) {
  for (unsigned c = low; c <= high; ++c) set.set(c);
}

// Adds "[:alpha:]" and similar classes; false for unknown names.
bool AddNamed(Set& set, std::string_view name) {
  struct Named {
    std::string_view name;
    int (*has)(int);
  };
  static constexpr Named kAll[] = {
      {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank},
      {"cntrl", std::iscntrl}, {"digit", std::isdigit}, {"graph", std::isgraph},
      {"lower", std::islower}, {"print", std::isprint}, {"punct", std::ispunct},
      {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};
  for (const Named& named : kAll) {
    if (named.name != name) continue;
    for (int c = 0; c < 128; ++c)
      if (named.has(c)) set.set(size_t(c));
    return true;
  }
  return false;
}

// Trailing blanks do not count unless a backslash precedes them.
std::string_view WithoutTrailingBlanks(std::string_view line) {
  while (line.ends_with(' ')) {
    size_t slashes = 0;
    while (slashes + 1 < line.size() && line[line.size() - 2 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 1) break;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

// Converts a pattern into elements; nothing if it can never match, as with an open '['.
class IgnoreRules::PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  std::optional<std::vector<Element>> Read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '*') {
        Stars();
      } else if (c == '?') {
        elements_.push_back({Element::Kind::kOne});
        ++at_;
      } else if (c == '[') {
        if (!Class()) return std::nullopt;
      } else {
        if (c == '\\' && ++at_ == text_.size()) return std::nullopt;
        elements_.push_back({Element::Kind::kByte, text_[at_++]});
      }
    }
    return std::move(elements_);
  }

 private:
  void Stars() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] == '*') ++at_;
    const bool starts_part = begin == 0 || text_[begin - 1] == '/';
    if (at_ - begin == 2 && starts_part) {
      if (at_ < text_.size() && text_[at_] == '/') {
        ++at_;
        elements_.push_back({Element::Kind::kFolders});
        return;
      }
      if (at_ == text_.size() && begin > 0) {  // "name/**" matches everything inside
        elements_.push_back({Element::Kind::kRest});
        return;
      }
    }
    elements_.push_back({Element::Kind::kStar});
  }

  bool Class() {
    Set set;
    ++at_;
    const bool inverted = at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^');
    if (inverted) ++at_;
    for (bool first = true; at_ < text_.size() && (first || text_[at_] != ']'); first = false)
      if (!ClassItem(set)) return false;
    if (at_ == text_.size()) return false;
    ++at_;
    if (inverted) set.flip();
    set.reset('/');
    elements_.push_back({Element::Kind::kClass, 0, set});
    return true;
  }

  bool ClassItem(Set& set) {
    if (text_.substr(at_).starts_with("[:")) {
      const size_t end = text_.find(":]", at_ + 2);
      if (end == std::string_view::npos) return false;
      if (!AddNamed(set, text_.substr(at_ + 2, end - at_ - 2))) return false;
      at_ = end + 2;
      return true;
    }
    const auto low = ClassByte();
    if (!low) return false;
    const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
    if (!is_range) {
      set.set(*low);
      return true;
    }
    ++at_;
    const auto high = ClassByte();
    if (!high) return false;
    AddRange(set, *low, *high);
    return true;
  }

  std::optional<unsigned char> ClassByte() {
    if (text_[at_] == '\\') ++at_;
    if (at_ == text_.size()) return std::nullopt;
    return static_cast<unsigned char>(text_[at_++]);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Element> elements_;
};

IgnoreRules IgnoreRules::Parse(std::string_view text) {
  IgnoreRules made;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ParseLine(line, made.rules_);
  }
  return made;
}

void IgnoreRules::ParseLine(std::string_view line, std::vector<Rule>& rules) {
  line = WithoutTrailingBlanks(line);
  if (line.empty() || line.front() == '#') return;
  Rule rule;
  if (line.front() == '!') {
    rule.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only = true;
    line.remove_suffix(1);
  }
  rule.anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  auto elements = PatternReader(line).Read();
  if (!elements) return;
  rule.elements = std::move(*elements);
  rule.literal = std::ranges::all_of(
      rule.elements, [](const Element& element) { return element.kind == Element::Kind::kByte; });
  if (rule.literal)
    for (const Element& element : rule.elements) rule.text += element.byte;
  rules.push_back(std::move(rule));
}

// Matches all alternatives at once: `open[i]` means that the elements before i match the text so
// far.
bool IgnoreRules::Matches(const Rule& rule, std::string_view text) {
  if (rule.literal) return rule.text == text;
  using Kind = Element::Kind;
  const auto& elements = rule.elements;
  const size_t count = elements.size();
  std::vector<char> open(count + 1, 0), next(count + 1, 0);
  const auto skip_empty = [&](std::vector<char>& states, bool part_begins) {
    for (size_t i = 0; i < count; ++i) {
      if (!states[i]) continue;
      const Kind kind = elements[i].kind;
      if (kind == Kind::kStar || (kind == Kind::kFolders && part_begins)) states[i + 1] = 1;
    }
  };
  open[0] = 1;
  skip_empty(open, true);
  for (const char c : text) {
    std::ranges::fill(next, 0);
    for (size_t i = 0; i < count; ++i) {
      if (!open[i]) continue;
      switch (elements[i].kind) {
        case Kind::kByte:
          next[i + 1] |= char(elements[i].byte == c);
          break;
        case Kind::kOne:
          next[i + 1] |= char(c != '/');
          break;
        case Kind::kClass:
          next[i + 1] |= char(elements[i].set.test(static_cast<unsigned char>(c)));
          break;
        case Kind::kStar:
          next[i] |= char(c != '/');
          break;
        case Kind::kFolders:
          next[i] = 1;
          break;
        case Kind::kRest:
          next[i] = next[i + 1] = 1;
          break;
      }
    }
    skip_empty(next, c == '/');
    open.swap(next);
  }
  return open[count] != 0;
}

IgnoreRules::Answer IgnoreRules::Match(std::string_view path, bool is_folder) const {
  const std::string_view last_part = path.substr(path.rfind('/') + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->folders_only && !is_folder) continue;
    if (!Matches(*rule, rule->anchored ? path : last_part)) continue;
    return rule->negated ? Answer::kKept : Answer::kIgnored;
  }
  return Answer::kNone;
}

}  // namespace muster::cli
