#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/folder_entries.h"

namespace muster::objects {

// The keys of a bucket in byte order, read from its folders on demand.
class KeyWalk {
 public:
  // Both outlive the walk.
  KeyWalk(const Folder& bucket, EntryCache& cache) : bucket_(bucket), cache_(cache) {}

  // Moves to the first key that is not below `from`.
  Status Seek(std::string_view from);
  // The next key; nothing at the end. Folders that are removed meanwhile are skipped.
  Result<std::optional<std::string>> Next();
  // Skips the keys that begin with `prefix`. The current key begins with it.
  void Skip(std::string_view prefix);
  // Opens the file of the current key. kNotFound if it was removed.
  Result<os::Fd> Open(int flags);
  // stat of that file; false if it was removed or is not a regular file.
  bool Look(struct stat& info);
  bool beside() const;  // whether the file has the second name of key_path.h

 private:
  struct Level {
    std::shared_ptr<const FolderEntries> entries;  // shared with the cache
    size_t next = 0;
    size_t prefix = 0;  // length of prefix_ above this folder
  };

  Result<bool> Enter(std::string_view name);  // false if it was removed
  void Leave();
  Result<const Folder*> Here();

  const Folder& bucket_;
  EntryCache& cache_;
  std::string prefix_;  // of the keys in the deepest folder
  std::vector<Level> levels_;
  // Only the deepest folder is open: a key may have a thousand of them.
  std::optional<Folder> here_;
};

// The lowest text above all texts that begin with `prefix`; nothing if there is none.
std::optional<std::string> AfterPrefix(std::string_view prefix);

}  // namespace muster::objects
