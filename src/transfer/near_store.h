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

// What a store reports about the folder that contains its objects.
struct NearAnswer {
  std::string folder;
  std::string proof;  // content of .muster/near in that folder
};

// The file of an object in that folder, as listed by the store.
struct NearFile {
  std::string path;  // relative to the folder of the bucket
  int64_t mtime_ns = 0;
};

// A file in the inbox of the store that is to become an object.
struct Offer {
  std::string name;    // in the inbox
  std::string key;     // without control characters, because it is sent in XML
  std::string crc32c;  // base64
};

// The folder of an object store that runs on this machine as the same user. Objects are read from
// its files, and files are placed in its inbox to become objects. The server decides which file an
// object is, who may write it and what it becomes; only the bytes bypass the connection. Any
// thread.
class NearStore {
 public:
  ~NearStore();
  NearStore(const NearStore&) = delete;
  NearStore& operator=(const NearStore&) = delete;

  // Null unless the answer describes Muster's own store on this machine and its folder is writable.
  static std::unique_ptr<NearStore> Open(const NearAnswer& told);

  // Opens for reading. An error if the file was replaced or has another length.
  Result<os::Fd> OpenObject(const std::string& bucket, const NearFile& file, int64_t size) const;

  struct Draft {
    os::Fd fd;
    std::string name;  // relative to the inbox
  };
  // Threads that create files in one folder contend for its lock, so each worker has its own
  // folder.
  Result<Draft> NewDraft(unsigned hand) EXCLUDES(mutex_);
  Result<Draft> OpenDraft(const std::string& name) const;  // an unfinished draft of an earlier run
  void Discard(const std::string& name) const;

 private:
  NearStore(os::Fd root, os::Fd inbox) : root_(std::move(root)), inbox_(std::move(inbox)) {}

  struct DraftFolder {
    std::string name;  // in the inbox
    os::Fd fd;
  };
  // The folder of one worker. The reference stays valid.
  Result<const DraftFolder*> FolderOf(unsigned hand) EXCLUDES(mutex_);

  const os::Fd root_, inbox_;
  std::atomic<uint64_t> made_ = 0;  // number of drafts
  Mutex mutex_;
  std::map<unsigned, DraftFolder> folders_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer
