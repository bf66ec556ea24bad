#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file.h"

namespace muster::transfer {

// One end of a copy in its textual forms: a path, s3://bucket/key, obs://bucket/key (the same), or
// an http(s) URL. "s3://NAME@bucket/key" is the bucket at the endpoint of profile NAME.
struct Location {
  enum class Kind { kFile, kObject, kHttp };

  Kind kind = Kind::kFile;
  os::Path path;               // for kFile
  std::string profile;         // for kObject; empty for the default profile
  std::string bucket, key;     // for kObject; every byte of a key is significant
  std::string origin, target;  // for kHttp: "https://host:port" and "/path?query"
  bool names_folder = false;   // ends with '/', or is a bucket without a key

  bool remote() const { return kind != Kind::kFile; }
};

// kInvalid for an empty text, an unknown scheme or one that lacks a slash ("s3:/b"), a missing
// bucket name, control characters, or a user name in a URL.
Result<Location> ParseLocation(std::string_view text);

// For messages and logs: without the query of a URL, which may contain a signature.
std::string Show(const Location& location);

// For journals: every byte of a name, absolute paths, no query.
std::string Exact(const Location& location);

// The location of `name` below a folder-like location.
Location Below(const Location& folder, std::string_view name);

// The last component of a path, key or URL; empty if there is none.
std::string LastName(const Location& location);

// Lower-case letters, digits, '.' and '-', and for older buckets '_' and capitals.
bool IsBucketName(std::string_view name);

}  // namespace muster::transfer
