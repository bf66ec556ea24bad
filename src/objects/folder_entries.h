#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/folder.h"

namespace muster::objects {

// The names in one folder of a bucket as components of keys, in the order of keys: a folder is
// "name/", an object "name". What is neither (links, pipes, names that no key has) is left out.
class FolderEntries {
 public:
  struct Entry {
    std::string_view name;
    bool beside = false;  // on disk under the other name of key_path.h
    bool is_folder() const { return name.ends_with('/'); }
  };

  static Result<FolderEntries> Read(const Folder& folder);

  size_t size() const { return slots_.size(); }
  Entry operator[](size_t index) const;
  size_t LowerBound(std::string_view name) const;  // the first that is not below
  // Names above 255 bytes are in folders of their own, whose changes this one's times do not show.
  bool has_long_names() const { return has_long_names_; }

 private:
  struct Slot {
    uint32_t offset = 0;
    uint16_t length = 0;
    bool beside = false;
  };

  Status ReadInto(int fd, const std::string& long_part, int depth);
  void Add(const std::string& name, bool is_folder, bool beside);
  void Sort();

  std::string names_;  // all in one, for there may be many
  std::vector<Slot> slots_;
  bool has_long_names_ = false;
};

// Large folders as they were last read, for as long as they have not changed since. Any thread.
class EntryCache {
 public:
  Result<std::shared_ptr<const FolderEntries>> Read(const Folder& folder) EXCLUDES(mutex_);

 private:
  struct Known {
    dev_t device = 0;
    ino_t inode = 0;
    int64_t mtime_ns = 0, ctime_ns = 0;
    std::shared_ptr<const FolderEntries> entries;  // shared with listings under way
  };

  Mutex mutex_;
  std::list<Known> known_ GUARDED_BY(mutex_);  // latest use first
};

}  // namespace muster::objects
