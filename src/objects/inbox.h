#pragma once

#include <cstdint>
#include <string>

#include "objects/folder.h"
#include "objects/s3_error.h"
#include "objects/temp_file.h"

namespace muster::objects {

// Transfers files without a socket. A client on this machine with the rights of the store's owner
// writes a file to .muster/inbox and requests that it become an object; the store moves it by the
// same rules as a received body. A text in .muster/near, which only the owner can read, proves that
// both processes mean the same folder. Any thread.
class Inbox {
 public:
  // `root` is the folder of the store, `own` its .muster.
  static Result<Inbox> Open(const os::Path& root, const Folder& own);

  const os::Path& root() const { return root_; }
  const std::string& proof() const { return proof_; }
  // Opens an uploaded file; it stays in the inbox until it is moved. kNoSuchUpload if it cannot be
  // from a client of this store.
  S3Result<TempFile> Take(const std::string& name) const;
  // Removes files that no client requested since then.
  void RemoveAbandoned(int64_t before_wall_ms) const;

 private:
  Inbox(os::Path root, Folder folder, std::string proof)
      : root_(std::move(root)), folder_(std::move(folder)), proof_(std::move(proof)) {}

  os::Path root_;
  Folder folder_;
  std::string proof_;
};

}  // namespace muster::objects
