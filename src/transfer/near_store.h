#pragma once

#include <memory>
#include <string>

#include "base/result.h"
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
  Result<Draft> NewDraft() const;
  Result<Draft> OpenDraft(const std::string& name) const;  // one that an earlier run left
  void Discard(const std::string& name) const;

 private:
  NearStore(os::Fd root, os::Fd inbox) : root_(std::move(root)), inbox_(std::move(inbox)) {}
  Status MakeFolder();

  const os::Fd root_, inbox_;
  std::string folder_;  // in the inbox, for our drafts
  os::Fd drafts_;       // that folder
};

}  // namespace muster::transfer
