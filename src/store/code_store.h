#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/file.h"

namespace muster::store {

// Snapshots of code folders: blobs by content, each once, and trees that name them.
//   code/blobs/<first two digits>/<sha256>    one file's bytes
//   code/<hash>/                              a whole tree, hard links to blobs, complete or absent
struct CodeFile {
  std::string path;    // relative, '/' between components, none of them "." or ".." or empty
  std::string sha256;  // of the content; for a link, of its target text
  int64_t size = 0;
  bool executable = false;
  std::string link;    // target, when it is a symbolic link that stays inside the tree
};

// What a client sends: the list of files. Its hash is over the sorted list, so the same content has
// the same hash whoever sends it.
struct CodeManifest {
  std::vector<CodeFile> files;
};
std::string ManifestHash(const CodeManifest& manifest);
json::object ToJsonObject(const CodeManifest& manifest);
// kInvalid names the entry: traversal, duplicates, a file that is also a folder, bad sums, links out.
Result<CodeManifest> CodeManifestFromJson(const json::value& value);

class CodeStore {
 public:
  explicit CodeStore(os::Path dir) : dir_(std::move(dir)) {}  // <data>/code

  bool HasTree(const std::string& hash) const;
  os::Path TreeDir(const std::string& hash) const;
  // Sums of the manifest's files that are not stored yet.
  std::vector<std::string> Missing(const CodeManifest& manifest) const;

  // One upload: bytes go to a temporary file, hashed on the way; Finish renames it into place when
  // the sum is right (kCorrupt otherwise). Dropped unfinished, it leaves nothing.
  class Upload {
   public:
    Upload(Upload&&) noexcept;
    ~Upload();
    Status Write(std::string_view bytes);
    Status Finish();
   private:
    friend class CodeStore;
    struct Impl;
    explicit Upload(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
  };
  Result<Upload> Begin(const std::string& sha256, int64_t size);

  // Builds the tree from stored blobs, whole or not at all; kNotFound names missing blobs.
  Result<std::string> Commit(const CodeManifest& manifest);

 private:
  os::Path BlobPath(const std::string& sha256) const;
  os::Path dir_;
};

}  // namespace muster::store
