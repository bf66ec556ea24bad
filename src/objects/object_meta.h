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

// What is known of an object beside its bytes.
struct ObjectMeta {
  int64_t size = 0;
  int64_t mtime_ns = 0;
  // Without quotes: the MD5 in hex, or "…-N" when it is no MD5 of the bytes. Empty in what is
  // written down: the one that the file itself makes (IdentityEtag).
  std::string etag;
  std::string content_type;
  Pairs headers;  // Cache-Control, Content-Disposition, Content-Encoding, Content-Language, Expires
  Pairs user;     // x-amz-meta-NAME: the names, lower case, and the bytes as they came
  Pairs tags;
  std::optional<s3::Checksum> checksum;
  // Of a multipart upload: the raw checksums of its parts, of the same kind as `checksum`, one
  // behind the other. Empty: not known.
  std::string part_digests;
  PartRuns parts;  // of a multipart upload; empty: one piece, or not known
  bool appendable = false;

  int64_t mtime_ms() const { return mtime_ns / 1'000'000; }
  // Whether the object came in parts whose lengths are known.
  bool knows_parts() const { return !parts.empty() && TotalSize(parts) == size; }
  std::optional<s3::Checksum> ChecksumOfPart(int64_t number) const;  // from 1
  bool etag_is_md5() const { return etag.size() == 32; }
};

// One text, short enough in the common case to lie inside the inode with the file's attributes.
std::string WriteMeta(const ObjectMeta& meta);
// Nothing when it is none of ours.
std::optional<ObjectMeta> ReadMeta(std::string_view text);

// For a file that was not put here by us: an ETag that changes when the file does. Its form says
// that it is no MD5.
std::string IdentityEtag(uint64_t inode, int64_t mtime_ns, int64_t size);

}  // namespace muster::objects
