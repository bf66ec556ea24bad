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
  std::string path;    // relative, '/' between components, none of them "." or ".." or empty
  std::string sha256;  // of the content; for a link, of its target text
  int64_t size = 0;    // of the content; for a link, of its target text
  bool executable = false;
  std::string link;  // target, when it is a symbolic link that stays inside the tree

  bool operator==(const CodeFile&) const = default;
};

// What a client sends: the list of files. Its hash is over the sorted list, so the same content has
// the same hash whoever sends it.
struct CodeManifest {
  std::vector<CodeFile> files;
};

inline constexpr size_t kMaxCodeFiles = 200'000;
inline constexpr size_t kMaxPackedFiles = 4096;
inline constexpr size_t kMaxCodePath = 2048;  // bytes; leaves room for the folders above
inline constexpr size_t kMaxCodeDepth = 128;  // components
inline constexpr int64_t kMaxCodeFileSize = int64_t{1} << 40;

std::string ManifestHash(const CodeManifest& manifest);
json::object ToJsonObject(const CodeManifest& manifest);
// kInvalid names the entry: traversal, duplicates, a file that is also a folder, bad sums, links
// out. kTooLarge with more files than the limit.
Result<CodeManifest> CodeManifestFromJson(const json::value& value);
// The same rules for a manifest that was made in memory.
Status CheckManifest(const CodeManifest& manifest);

// 64 lower-case hex digits.
bool IsSha256(std::string_view text);

// Any thread, several at once. Missing, uploads and Commit may take long and belong on a pool.
class CodeStore {
 public:
  explicit CodeStore(os::Path dir) : dir_(std::move(dir)) {}  // <data>/code

  // False for anything that is no hash.
  bool HasTree(const std::string& hash) const;
  // Empty for anything that is no hash, so that no request can name another folder.
  os::Path TreeDir(const std::string& hash) const;
  // Sums of the manifest's files that are not stored yet, each once.
  std::vector<std::string> Missing(const CodeManifest& manifest) const;

  // One upload: bytes go to a temporary file, hashed on the way; Finish makes it durable and
  // renames it into place when the sum is right (kCorrupt otherwise). More bytes than announced are
  // refused with kTooLarge. Dropped unfinished, it leaves nothing.
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
  // kInvalid when `sha256` is no sum or `size` is negative, kTooLarge above the limit of a file.
  Result<Upload> Begin(const std::string& sha256, int64_t size);

  // Many small files at once: for each "<sha256> <size>\n" and its bytes. All are checked before
  // the first is stored, and all are durable when it returns. kInvalid: not such a pack; kCorrupt:
  // bytes with another sum; kTooLarge: more than kMaxPackedFiles.
  struct Packed {
    size_t files = 0;
    int64_t bytes = 0;  // of the pack
  };
  Result<Packed> AddPack(std::string_view pack);

  // Builds the tree from stored blobs, whole or not at all, and durable; its hash. kNotFound names
  // missing blobs, kInvalid an entry whose size is not that of its blob.
  Result<std::string> Commit(const CodeManifest& manifest);

  // HasTree, and the tree stays for the minutes until the job that names it is in the journal.
  bool Claim(const std::string& hash) const;
  // Removes every tree that `used` does not know and every blob that no tree has, but nothing that
  // a client may be about to name: what was claimed, asked for or sent within the last ten minutes,
  // and for a day what was sent and never became part of a tree.
  struct Freed {
    int trees = 0, blobs = 0;
    int64_t bytes = 0;
  };
  Result<Freed> Collect(const std::function<Result<bool>(const std::string&)>& used,
                        int64_t now_ms);

  // Removes what a killed server left half-done. At start, before anything else is called.
  Status CleanTemporary();

 private:
  os::Path BlobPath(const std::string& sha256) const;
  // Where a tree's file is linked from: the blob, or its executable twin, which is made on demand.
  Result<os::Path> Source(const CodeFile& file) const;
  std::vector<std::string> MissingNow(const CodeManifest& manifest) const;
  Status CheckBlobs(const CodeManifest& manifest) const;
  Status FillTree(const CodeManifest& manifest, const os::Path& root) const;
  Status MakeTree(const CodeManifest& manifest, const os::Path& target) const;
  os::Path TemporaryPath() const;

  os::Path dir_;
  // Held shared by whoever relies on what is there, alone by what removes.
  mutable std::shared_mutex collecting_;
};

}  // namespace muster::store
