#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/file.h"
#include "transfer/trouble.h"

namespace muster::transfer {

class S3Client;

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
  // Null unless it is a store of ours on this machine that we may write to.
  static std::unique_ptr<NearStore> Open(const NearAnswer& told);

  // Open for reading; an error when it is another file by now, or of another length.
  Result<os::Fd> OpenObject(const std::string& bucket, const NearFile& file, int64_t size) const;

  struct Draft {
    os::Fd fd;
    std::string name;
  };
  Result<Draft> NewDraft() const;
  Result<Draft> OpenDraft(const std::string& name) const;  // one that an earlier run left
  void Discard(const std::string& name) const;
  // Asks once that a draft become an object of the bucket. Workers that ask at the same time share
  // a request.
  Outcome<void> Adopt(S3Client& client, const std::string& bucket, Offer offer) EXCLUDES(mutex_);

 private:
  struct Ticket;
  NearStore(os::Fd root, os::Fd inbox) : root_(std::move(root)), inbox_(std::move(inbox)) {}
  // Those that wait, of one bucket, when it is this caller's turn to ask for all.
  std::vector<Ticket*> TakeTurn(const Ticket& own) EXCLUDES(mutex_);
  void EndTurn(std::span<Ticket* const> batch, const Outcome<void>& outcome) EXCLUDES(mutex_);

  const os::Fd root_, inbox_;
  Mutex mutex_;
  CondVar answered_;
  bool asking_ GUARDED_BY(mutex_) = false;
  std::vector<Ticket*> waiting_ GUARDED_BY(mutex_);
};

}  // namespace muster::transfer
