#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/folder_entries.h"

namespace muster::objects {

// The keys of a bucket in the order of their bytes, read from its folders as it goes.
class KeyWalk {
 public:
  // Both outlive the walk.
  KeyWalk(const Folder& bucket, EntryCache& cache) : bucket_(bucket), cache_(cache) {}

  // To the first key that is not below `from`.
  Status Seek(std::string_view from);
  // The next key; nothing at the end. Folders that vanish meanwhile are passed over.
  Result<std::optional<std::string>> Next();
  // Past every key that begins with `prefix`, which the key that came last does.
  void Skip(std::string_view prefix);
  // The file of the key that came last, to be examined or read. kNotFound: it is gone.
  Result<os::Fd> Open(int flags);
  // What the file system tells of it; false: it is gone, or no regular file.
  bool Look(struct stat& info);
  bool beside() const;  // whether that file has the other name of key_path.h

 private:
  struct Level {
    std::shared_ptr<const FolderEntries> entries;  // shared with the cache
    size_t next = 0;
    size_t prefix = 0;  // how much of prefix_ lies above this folder
  };

  Result<bool> Enter(std::string_view name);  // false: it is gone
  void Leave();
  Result<const Folder*> Here();

  const Folder& bucket_;
  EntryCache& cache_;
  std::string prefix_;  // of the keys in the deepest folder
  std::vector<Level> levels_;
  // The deepest folder alone, while it is needed: a key may have a thousand of them.
  std::optional<Folder> here_;
};

// The lowest text above all that begin with `prefix`; nothing when there is none.
std::optional<std::string> AfterPrefix(std::string_view prefix);

}  // namespace muster::objects
