#include "objects/key_path.h"

#include <algorithm>

namespace muster::objects {
namespace {

constexpr size_t kLongestName = 255;  // NAME_MAX
constexpr size_t kPartBytes = kLongestName - 2;
constexpr std::string_view kLiteral = "%=", kCoded = "%x", kBeside = "%-", kPart = "%+",
                           kEnd = "%:";

bool LooksSpecial(std::string_view text) {
  return text.size() >= 2 && text[0] == '%' &&
         std::string_view("=x-+:").find(text[1]) != std::string_view::npos;
}

std::string Code(std::string_view text) {
  std::string coded(kCoded);
  for (const char c : text) {
    if (c == '\0') {
      coded += "%00";
    } else if (c == '%') {
      coded += "%25";
    } else {
      coded += c;
    }
  }
  return coded;
}

// Decodes names made by Code; other input yields a text that Code does not produce.
std::string Uncode(std::string_view coded) {
  std::string text;
  for (size_t i = 0; i < coded.size(); ++i) {
    if (coded.substr(i, 3) == "%00") {
      text += '\0';
      i += 2;
    } else if (coded.substr(i, 3) == "%25") {
      text += '%';
      i += 2;
    } else {
      text += coded[i];
    }
  }
  return text;
}

std::string Escape(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Code(text);
  const bool special = text.empty() || text == "." || text == ".." || LooksSpecial(text);
  return special ? std::string(kLiteral).append(text) : std::string(text);
}

std::string EscapeWhole(std::string_view text, bool beside) {
  return beside ? std::string(kBeside).append(Escape(text)) : Escape(text);
}

void AppendName(std::string& path, std::string_view text, bool beside) {
  const std::string escaped = EscapeWhole(text, beside);
  std::string_view name = escaped;
  if (name.size() <= kLongestName) {
    path += name;
    return;
  }
  while (name.size() > kPartBytes) {
    path.append(kPart).append(name.substr(0, kPartBytes)) += '/';
    name.remove_prefix(kPartBytes);
  }
  path.append(kEnd).append(name);
}

}  // namespace

std::string PathOfKey(std::string_view key, Form form) {
  std::string path;
  path.reserve(key.size() + 8);
  while (true) {
    const size_t slash = key.find('/');
    const bool last = slash == std::string_view::npos;
    AppendName(path, key.substr(0, slash), last && form == Form::kBeside);
    if (last) return path;
    path += '/';
    key.remove_prefix(slash + 1);
  }
}

std::optional<KeyName> ReadKeyName(std::string_view name) {
  KeyName read;
  std::string_view rest = name;
  read.beside = rest.starts_with(kBeside);
  if (read.beside) rest.remove_prefix(kBeside.size());
  if (rest.starts_with(kLiteral)) {
    read.text = rest.substr(kLiteral.size());
  } else if (rest.starts_with(kCoded)) {
    read.text = Uncode(rest.substr(kCoded.size()));
  } else {
    read.text = rest;
  }
  // Only the canonical name of a key is accepted, so that every listed key can be fetched.
  if (LooksSpecial(name) && EscapeWhole(read.text, read.beside) != name) return std::nullopt;
  return read;
}

std::optional<std::string_view> LongNamePart(std::string_view name) {
  if (!name.starts_with(kPart) || name.size() != kLongestName) return std::nullopt;
  return name.substr(kPart.size());
}

std::optional<std::string_view> LongNameEnd(std::string_view name) {
  if (!name.starts_with(kEnd) || name.size() == kEnd.size()) return std::nullopt;
  return name.substr(kEnd.size());
}

}  // namespace muster::objects
