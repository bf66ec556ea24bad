#include "http/target.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "http/client.h"

namespace muster::http {
namespace {

std::unexpected<Error> Refuse(std::string_view raw, std::string_view cause) {
  constexpr size_t kShown = 200;
  return Fail(Code::kInvalid,
              fmt::format("cannot use the request target \"{}\": {}",
                          Printable(raw.substr(0, kShown)), cause),
              "write it as /path?name=value, with every other byte percent-encoded");
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Result<std::string> Decode(std::string_view raw, std::string_view part) {
  auto decoded = UrlDecode(part);
  if (!decoded) return Refuse(raw, decoded.error().text);
  if (HasControl(*decoded)) return Refuse(raw, "it has a control character in it");
  if (!IsUtf8(*decoded)) return Refuse(raw, "it is not valid UTF-8");
  return decoded;
}

Status CheckPath(std::string_view raw, std::string_view path) {
  size_t begin = 1;
  while (true) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    if (component == "." || component == "..") {
      return Refuse(raw, "the path has \".\" or \"..\" in it");
    }
    if (end == path.size()) return {};
    if (component.empty()) return Refuse(raw, "the path has \"//\" in it");
    begin = end + 1;
  }
}

Result<std::string> DecodeQueryWord(std::string_view raw, std::string_view word) {
  std::string spaced(word);
  std::ranges::replace(spaced, '+', ' ');
  return Decode(raw, spaced);
}

Status ParseQuery(std::string_view raw, std::string_view text, Target& target) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    MUSTER_ASSIGN(std::string name, DecodeQueryWord(raw, pair.substr(0, equals)));
    MUSTER_ASSIGN(std::string value,
                  DecodeQueryWord(raw, pair.substr(std::min(equals + 1, pair.size()))));
    target.query.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

// Removes "http://authority" at the front, which requests to a proxy have.
void CutAuthority(std::string_view& rest, Target& target) {
  const std::string scheme = Lower(rest.substr(0, 8));
  const size_t skip = scheme == "https://" ? 8 : scheme.starts_with("http://") ? 7 : 0;
  if (skip == 0) return;
  rest.remove_prefix(skip);
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  target.authority = rest.substr(0, end);
  rest.remove_prefix(end);
}

}  // namespace

Result<Target> ParseTarget(std::string_view raw) {
  Target target;
  std::string_view rest = raw;
  CutAuthority(rest, target);
  if (rest.find('#') != std::string_view::npos) return Refuse(raw, "it has a fragment ('#')");
  const size_t question = std::min(rest.find('?'), rest.size());
  std::string_view path = rest.substr(0, question);
  if (path.empty() && rest.data() != raw.data()) path = "/";
  if (!path.starts_with('/')) return Refuse(raw, "it does not begin with '/'");
  MUSTER_ASSIGN(target.path, Decode(raw, path));
  MUSTER_TRY(CheckPath(raw, target.path));
  MUSTER_TRY(ParseQuery(raw, rest.substr(std::min(question + 1, rest.size())), target));
  return target;
}

}  // namespace muster::http
