#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"

namespace muster {
namespace {

struct Writer {
  std::string out;
  bool pretty = false;

  void Indent(int depth) {
    if (!pretty) return;
    out += '\n';
    out.append(size_t(depth) * 2, ' ');
  }

  void String(std::string_view text) {
    out += '"';
    size_t plain = 0;
    std::string clean;
    if (!IsUtf8(text)) {
      clean = CleanUtf8(text);
      text = clean;
    }
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c >= 0x20 && c != '"' && c != '\\') continue;
      out.append(text, plain, i - plain);
      plain = i + 1;
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        default:
          out += fmt::format("\\u{:04x}", c);
      }
    }
    out.append(text, plain, text.size() - plain);
    out += '"';
  }

  void Double(double number) {
    if (!std::isfinite(number)) {
      out += "null";
      return;
    }
    std::string text = fmt::format("{}", number);
    // Without the fraction, "3" would be read back as an integer.
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    out += text;
  }

  void Value(const json::value& value, int depth) {
    switch (value.kind()) {
      case json::kind::null:
        out += "null";
        break;
      case json::kind::bool_:
        out += value.get_bool() ? "true" : "false";
        break;
      case json::kind::int64:
        out += fmt::format("{}", value.get_int64());
        break;
      case json::kind::uint64:
        out += fmt::format("{}", value.get_uint64());
        break;
      case json::kind::double_:
        Double(value.get_double());
        break;
      case json::kind::string:
        String(value.get_string());
        break;
      case json::kind::array: {
        const auto& array = value.get_array();
        out += '[';
        for (size_t i = 0; i < array.size(); ++i) {
          if (i) out += ',';
          Indent(depth + 1);
          Value(array[i], depth + 1);
        }
        if (!array.empty()) Indent(depth);
        out += ']';
        break;
      }
      case json::kind::object: {
        const auto& object = value.get_object();
        out += '{';
        bool first = true;
        for (const auto& [key, member] : object) {
          if (!first) out += ',';
          first = false;
          Indent(depth + 1);
          String(key);
          out += pretty ? ": " : ":";
          Value(member, depth + 1);
        }
        if (!object.empty()) Indent(depth);
        out += '}';
        break;
      }
    }
  }
};

// The parser converts numbers above the range of double to infinity.
bool AllFinite(const json::value& value) {
  switch (value.kind()) {
    case json::kind::double_:
      return std::isfinite(value.get_double());
    case json::kind::array:
      return std::ranges::all_of(value.get_array(), AllFinite);
    case json::kind::object:
      return std::ranges::all_of(value.get_object(),
                                 [](const auto& member) { return AllFinite(member.value()); });
    default:
      return true;
  }
}

}  // namespace

Result<json::value> ParseJson(std::string_view text) {
  json::parse_options options;
  options.max_depth = 64;
  json::stream_parser parser({}, options);
  json::error_code error;
  const size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (!error && used < text.size()) {
    for (char c : text.substr(used))
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') error = json::error::extra_data;
  }
  if (error) {
    const std::string_view before = text.substr(0, std::min(used, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t newline = before.rfind('\n');
    const size_t column =
        newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
    return Fail(Code::kInvalid, fmt::format("not valid JSON at line {}, column {}: {}", line,
                                            column, error.message()));
  }
  json::value value = parser.release();
  if (!AllFinite(value)) {
    return Fail(Code::kInvalid, "not valid JSON: a number is larger than 1.8e308");
  }
  return value;
}

std::string ToJson(const json::value& value) {
  Writer writer;
  writer.Value(value, 0);
  return std::move(writer.out);
}

std::string ToPrettyJson(const json::value& value) {
  Writer writer;
  writer.pretty = true;
  writer.Value(value, 0);
  writer.out += '\n';
  return std::move(writer.out);
}

std::string_view GetString(const json::object& object, std::string_view key,
                           std::string_view fallback) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return fallback;
  return std::string_view(value->get_string().data(), value->get_string().size());
}

int64_t GetInt(const json::object& object, std::string_view key, int64_t fallback) {
  const auto* value = object.if_contains(key);
  if (value == nullptr) return fallback;
  if (value->is_int64()) return value->get_int64();
  if (value->is_uint64()) return std::numeric_limits<int64_t>::max();
  return fallback;
}

double GetDouble(const json::object& object, std::string_view key, double fallback) {
  const auto* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return fallback;
  return value->to_number<double>();
}

bool GetBool(const json::object& object, std::string_view key, bool fallback) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_bool() ? value->get_bool() : fallback;
}

const json::object* GetObject(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* GetArray(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}

}  // namespace muster
