#include "transfer/location.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "http/url.h"
#include "s3/uri.h"

namespace muster::transfer {
namespace {

constexpr std::string_view kHowTo =
    "write a path, s3://BUCKET/KEY, obs://BUCKET/KEY or an http(s):// address";

std::unexpected<Error> Bad(std::string_view text, std::string_view cause) {
  return Fail(Code::kInvalid,
              fmt::format("{} is no place to copy: {}", ShellQuote(Printable(text)), cause),
              std::string(kHowTo));
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// "NAME" for "NAME://…"; empty for a path.
std::string SchemeOf(std::string_view text) {
  const size_t end = text.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view name = text.substr(0, end);
  const bool word = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
  return word ? Lower(name) : std::string();
}

// "s3://b/k" for "s3:/b/k", which would otherwise be a path in a folder "s3:".
std::string LacksSlash(std::string_view text) {
  for (const std::string_view scheme : {"s3:/", "obs:/"}) {
    const bool starts = Lower(text.substr(0, scheme.size())) == scheme;
    if (starts) return fmt::format("{}/{}", scheme, text.substr(scheme.size()));
  }
  return {};
}

Result<Location> ParseObject(std::string_view text, std::string_view rest) {
  Location location;
  location.kind = Location::Kind::kObject;
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view bucket = rest.substr(0, slash);
  if (const size_t at = bucket.find('@'); at != std::string_view::npos) {
    location.profile = bucket.substr(0, at);
    bucket.remove_prefix(at + 1);
    if (location.profile.empty()) return Bad(text, "the profile before the '@' has no name");
  }
  if (!IsBucketName(bucket)) {
    return Bad(text, bucket.empty() ? "it has no bucket" : "the bucket's name is not possible");
  }
  location.bucket = bucket;
  location.key = rest.substr(std::min(slash + 1, rest.size()));
  if (location.key.size() > 1024) return Bad(text, "the key is above 1024 bytes");
  location.names_folder = location.key.empty() || location.key.ends_with('/');
  return location;
}

Result<Location> ParseHttp(std::string_view text) {
  Location location;
  location.kind = Location::Kind::kHttp;
  const size_t host = text.find("://") + 3;
  const size_t end = std::min(text.find_first_of("/?#", host), text.size());
  if (HasControl(text)) return Bad(text, "there is a control character in it");
  location.origin = Lower(text.substr(0, host)) + std::string(text.substr(host, end - host));
  location.target = text.substr(end, std::min(text.find('#', end), text.size()) - end);
  if (!location.target.starts_with('/')) location.target.insert(0, "/");
  MUSTER_ASSIGN(const auto url, http::ParseUrl(location.origin));
  if (url.host.empty()) return Bad(text, "it has no host");
  // Encodes blanks and bytes beyond ASCII, which servers reject.
  std::string target;
  for (const char c : location.target) {
    const bool plain = c > 0x20 && c < 0x7f;
    target += plain ? std::string(1, c) : s3::UriEncode({&c, 1}, true);
  }
  location.target = std::move(target);
  location.names_folder =
      std::string_view(location.target).substr(0, location.target.find('?')).ends_with('/');
  return location;
}

}  // namespace

bool IsBucketName(std::string_view name) {
  const auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return name.size() >= 3 && name.size() <= 255 && alnum(name.front()) &&
         name.find("..") == std::string_view::npos && std::ranges::all_of(name, [&](char c) {
           return alnum(c) || c == '-' || c == '.' || c == '_';
         });
}

Result<Location> ParseLocation(std::string_view text) {
  if (text.empty()) return Bad(text, "it is empty");
  if (text.find('\0') != std::string_view::npos) return Bad(text, "there is a NUL byte in it");
  const std::string scheme = SchemeOf(text);
  if (scheme == "s3" || scheme == "obs") return ParseObject(text, text.substr(scheme.size() + 3));
  if (scheme == "http" || scheme == "https") return ParseHttp(text);
  if (!scheme.empty() && scheme != "file") {
    return Bad(text, fmt::format("\"{}\" is not a scheme that is known here", scheme));
  }
  if (const std::string meant = LacksSlash(text); !meant.empty()) {
    return Fail(
        Code::kInvalid,
        fmt::format("{} is no place to copy: a slash is missing", ShellQuote(Printable(text))),
        fmt::format("did you mean {}? A file of that name is ./{}", ShellQuote(Printable(meant)),
                    Printable(text)));
  }
  Location location;
  location.path = os::Path(scheme.empty() ? text : text.substr(7));
  if (location.path.empty()) return Bad(text, "it has no path");
  location.names_folder = text.ends_with('/');
  return location;
}

std::string Show(const Location& location) {
  switch (location.kind) {
    case Location::Kind::kFile:
      return Printable(location.path.string());
    case Location::Kind::kObject:
      return Printable(fmt::format("s3://{}{}{}/{}", location.profile,
                                   location.profile.empty() ? "" : "@", location.bucket,
                                   location.key));
    case Location::Kind::kHttp:
      return Printable(location.origin + location.target.substr(0, location.target.find('?')));
  }
  return {};
}

std::string Exact(const Location& location) {
  std::error_code error;
  switch (location.kind) {
    case Location::Kind::kFile:
      return std::filesystem::absolute(location.path, error).string();
    case Location::Kind::kObject:
      return fmt::format("s3://{}@{}/{}", location.profile, location.bucket, location.key);
    case Location::Kind::kHttp:
      return location.origin + location.target.substr(0, location.target.find('?'));
  }
  return {};
}

Location Below(const Location& folder, std::string_view name) {
  Location location = folder;
  location.names_folder = name.ends_with('/');
  switch (folder.kind) {
    case Location::Kind::kFile:
      location.path /= os::Path(name);
      break;
    case Location::Kind::kObject:
      if (!location.key.empty() && !location.key.ends_with('/')) location.key += '/';
      location.key += name;
      break;
    case Location::Kind::kHttp:
      if (!location.target.ends_with('/')) location.target += '/';
      location.target += s3::UriEncode(name, true);
      break;
  }
  return location;
}

std::string LastName(const Location& location) {
  std::string text;
  switch (location.kind) {
    case Location::Kind::kFile:
      text = location.path.string();
      break;
    case Location::Kind::kObject:
      text = location.key;
      break;
    case Location::Kind::kHttp: {
      const std::string path = location.target.substr(0, location.target.find('?'));
      text = s3::UriDecode(path, false).value_or(path);
      break;
    }
  }
  while (text.ends_with('/')) text.pop_back();
  text.erase(0, text.rfind('/') + 1);
  return text == "." || text == ".." ? "" : text;
}

}  // namespace muster::transfer
