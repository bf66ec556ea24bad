#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file.h"

namespace muster::transfer {

// One end of a copy as a person writes it: a path, s3://bucket/key, obs://bucket/key (the same), or
// an http(s) URL. "s3://NAME@bucket/key" is the bucket at the endpoint of the profile NAME.
struct Location {
  enum class Kind { kFile, kObject, kHttp };

  Kind kind = Kind::kFile;
  os::Path path;               // kFile
  std::string profile;         // kObject; empty: the one that applies to all
  std::string bucket, key;     // kObject; every byte of a key counts, nothing is folded
  std::string origin, target;  // kHttp: "https://host:port" and "/path?query"
  bool names_folder = false;   // ends with '/', or is a bucket alone

  bool remote() const { return kind != Kind::kFile; }
};

// kInvalid on an empty text, a scheme that is none of ours or lacks a slash ("s3:/b"), a bucket
// without a name, control characters or a user name in a URL.
Result<Location> ParseLocation(std::string_view text);

// For people and logs: the query of a URL, which may be a signature, is left out.
std::string Show(const Location& location);

// For records: every byte of a name, a path from its root, but no query.
std::string Exact(const Location& location);

// What lies at `name` below a folder-like location.
Location Below(const Location& folder, std::string_view name);

// The last component: of a path, key or URL; empty when there is none.
std::string LastName(const Location& location);

// Lower-case letters, digits, '.' and '-', and also '_' and capitals, which older buckets have.
bool IsBucketName(std::string_view name);

}  // namespace muster::transfer
