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

// The names in one folder of a bucket as key components in key order: a folder is "name/", an
// object "name". Other entries (links, pipes, names that no key has) are omitted.
class FolderEntries {
 public:
  struct Entry {
    std::string_view name;
    bool beside = false;  // stored under the second name of key_path.h
    bool is_folder() const { return name.ends_with('/'); }
  };

  static Result<FolderEntries> Read(const Folder& folder);

  size_t size() const { return slots_.size(); }
  Entry operator[](size_t index) const;
  size_t LowerBound(std::string_view name) const;  // the first entry that is not below `name`
  // Names above 255 bytes are stored in nested folders, whose changes do not change the times of
  // this folder.
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

  std::string names_;  // one string for all names
  std::vector<Slot> slots_;
  bool has_long_names_ = false;
};

// A cache of large folder listings, valid while the folder is unchanged. Any thread.
class EntryCache {
 public:
  Result<std::shared_ptr<const FolderEntries>> Read(const Folder& folder) EXCLUDES(mutex_);

 private:
  struct Known {
    dev_t device = 0;
    ino_t inode = 0;
    int64_t mtime_ns = 0, ctime_ns = 0;
    std::shared_ptr<const FolderEntries> entries;  // shared with listings in progress
  };

  Mutex mutex_;
  std::list<Known> known_ GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace muster::objects
