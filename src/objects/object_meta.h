#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/part_runs.h"
#include "s3/checksum.h"

namespace muster::objects {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// The metadata of an object.
struct ObjectMeta {
  int64_t size = 0;
  int64_t mtime_ns = 0;
  // Without quotes: the MD5 in hex, or "…-N" if it is not the MD5 of the bytes. Empty in serialised
  // form if it is derived from the file (IdentityEtag).
  std::string etag;
  std::string content_type;
  Pairs headers;  // Cache-Control, Content-Disposition, Content-Encoding, Content-Language, Expires
  Pairs user;     // x-amz-meta-NAME: names in lower case, values as received
  Pairs tags;
  std::optional<s3::Checksum> checksum;
  // For a multipart upload: the concatenated raw checksums of its parts, of the kind of `checksum`.
  // Empty if unknown.
  std::string part_digests;
  PartRuns parts;  // of a multipart upload; empty for one piece or if unknown
  bool appendable = false;

  int64_t mtime_ms() const { return mtime_ns / 1'000'000; }
  // Whether the lengths of the object's parts are known.
  bool knows_parts() const { return !parts.empty() && TotalSize(parts) == size; }
  std::optional<s3::Checksum> ChecksumOfPart(int64_t number) const;  // from 1
  bool etag_is_md5() const { return etag.size() == 32; }
};

// Usually short enough to be stored inside the inode.
std::string WriteMeta(const ObjectMeta& meta);
// Nothing for other texts.
std::optional<ObjectMeta> ReadMeta(std::string_view text);

// The ETag of a file that another program created: changes with the file, and its form shows that
// it is not an MD5.
std::string IdentityEtag(uint64_t inode, int64_t mtime_ns, int64_t size);

}  // namespace muster::objects
