#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::transfer {

// What a store tells of the folder that it keeps its objects in.
struct NearAnswer {
  std::string folder;
  std::string proof;  // what .muster/near in it holds
};

// The file of an object in that folder, as the store listed it.
struct NearFile {
  std::string path;  // below the bucket's folder
  int64_t mtime_ns = 0;
};

// A file in the store's inbox that is to become an object.
struct Offer {
  std::string name;    // in the inbox
  std::string key;     // without control characters: it goes into a document
  std::string crc32c;  // base64
};

// The folder of an object store that runs on this machine as the same user. Objects are read from
// its files, and files are left in its inbox to become objects: which object a file is, who may
// write it and what it becomes, the server decides; only the bytes take the short way. Any thread.
class NearStore {
 public:
  ~NearStore();
  NearStore(const NearStore&) = delete;
  NearStore& operator=(const NearStore&) = delete;

  // Null unless it is a store of ours on this machine that we may write to.
  static std::unique_ptr<NearStore> Open(const NearAnswer& told);

  // Open for reading; an error when it is another file by now, or of another length.
  Result<os::Fd> OpenObject(const std::string& bucket, const NearFile& file, int64_t size) const;

  struct Draft {
    os::Fd fd;
    std::string name;  // below the inbox
  };
  // Hands that make files in one folder wait for each other: each has its own.
  Result<Draft> NewDraft(unsigned hand) EXCLUDES(mutex_);
  Result<Draft> OpenDraft(const std::string& name) const;  // one that an earlier run left
  void Discard(const std::string& name) const;

 private:
  NearStore(os::Fd root, os::Fd inbox) : root_(std::move(root)), inbox_(std::move(inbox)) {}

  struct DraftFolder {
    std::string name;  // in the inbox
    os::Fd fd;
  };
  // The one of a hand; it stays where it is.
  Result<const DraftFolder*> FolderOf(unsigned hand) EXCLUDES(mutex_);

  const os::Fd root_, inbox_;
  std::atomic<uint64_t> made_ = 0;  // drafts
  Mutex mutex_;
  std::map<unsigned, DraftFolder> folders_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer
