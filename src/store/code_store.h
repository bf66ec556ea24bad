#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/file.h"

namespace muster::store {

// Snapshots of code folders: blobs by content, each once, and trees that name them.
//   code/blobs/<first two digits>/<sha256>    one file's bytes; <sha256>.x the same, executable
//   code/<hash>/                              a whole tree, hard links to blobs, complete or absent
//   code/.tmp-<random>                        an upload or a tree that is being made
struct CodeFile {
  std::string path;    // relative, with '/' between components, none of them ".", ".." or empty
  std::string sha256;  // of the content; for a link, of its target text
  int64_t size = 0;    // of the content; for a link, of its target text
  bool executable = false;
  std::string link;  // the target of a symbolic link that stays inside the tree

  bool operator==(const CodeFile&) const = default;
};

// The list of files that a client sends. Its hash covers the sorted list, so that equal content has
// an equal hash.
struct CodeManifest {
  std::vector<CodeFile> files;
};

inline constexpr size_t kMaxCodeFiles = 200'000;
inline constexpr size_t kMaxPackedFiles = 4096;
inline constexpr size_t kMaxCodePath = 2048;  // bytes; leaves space for the parent folders
inline constexpr size_t kMaxCodeDepth = 128;  // components
inline constexpr int64_t kMaxCodeFileSize = int64_t{1} << 40;

std::string ManifestHash(const CodeManifest& manifest);
json::object ToJsonObject(const CodeManifest& manifest);
// kInvalid names the entry: traversal, duplicates, a file that is also a folder, bad hashes, links
// out of the tree. kTooLarge above the limit of files.
Result<CodeManifest> CodeManifestFromJson(const json::value& value);
// The same checks for a manifest in memory.
Status CheckManifest(const CodeManifest& manifest);

// 64 lower-case hex digits.
bool IsSha256(std::string_view text);

// Any thread, concurrently. Missing, uploads and Commit may be slow and belong on a pool.
class CodeStore {
 public:
  explicit CodeStore(os::Path dir) : dir_(std::move(dir)) {}  // <data>/code

  // False for texts that are not hashes.
  bool HasTree(const std::string& hash) const;
  // Empty for texts that are not hashes, so that no request can name another folder.
  os::Path TreeDir(const std::string& hash) const;
  // The hashes in the manifest that are not stored, each once.
  std::vector<std::string> Missing(const CodeManifest& manifest) const;

  // An upload: bytes go to a temporary file and are hashed; Finish makes it durable and renames it
  // if the hash matches (kCorrupt otherwise). More bytes than declared are kTooLarge. A dropped
  // upload leaves no file.
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
  // kInvalid if `sha256` is not a hash or `size` is negative, kTooLarge above the limit of a file.
  Result<Upload> Begin(const std::string& sha256, int64_t size);

  // Many small files at once: for each "<sha256> <size>\n" and its bytes. All are checked before
  // the first is stored, and all are durable when it returns. kInvalid: not such a pack; kCorrupt:
  // bytes with another sum; kTooLarge: more than kMaxPackedFiles.
  struct Packed {
    size_t files = 0;
    int64_t bytes = 0;  // of the pack
  };
  Result<Packed> AddPack(std::string_view pack);

  // Builds the tree from stored blobs, atomically and durably, and returns its hash. kNotFound
  // names missing blobs, kInvalid an entry whose size differs from that of its blob.
  Result<std::string> Commit(const CodeManifest& manifest);

  // As HasTree, and protects the tree from collection until the job that names it is journaled.
  bool Claim(const std::string& hash) const;
  // Removes every tree that `used` does not know and every blob without a tree, except what a
  // client may be about to name: recently claimed, requested or uploaded within ten minutes, and
  // for a day uploads that are part of no tree.
  struct Freed {
    int trees = 0, blobs = 0;
    int64_t bytes = 0;
  };
  Result<Freed> Collect(const std::function<Result<bool>(const std::string&)>& used,
                        int64_t now_ms);

  // Removes leftovers of a killed server. Called at start, before anything else.
  Status CleanTemporary();

 private:
  os::Path BlobPath(const std::string& sha256) const;
  // The source of a tree's file: the blob, or its executable copy, which is created on demand.
  Result<os::Path> Source(const CodeFile& file) const;
  std::vector<std::string> MissingNow(const CodeManifest& manifest) const;
  Status CheckBlobs(const CodeManifest& manifest) const;
  Status FillTree(const CodeManifest& manifest, const os::Path& root) const;
  Status MakeTree(const CodeManifest& manifest, const os::Path& target) const;
  os::Path TemporaryPath() const;

  os::Path dir_;
  // Held shared by users of existing files, exclusively by the collection.
  mutable std::shared_mutex collecting_;
};

}  // namespace muster::store
