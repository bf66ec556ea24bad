#pragma once

#include <cstdint>
#include <string>

#include "objects/folder.h"
#include "objects/s3_error.h"
#include "objects/temp_file.h"

namespace muster::objects {

// Where files change hands without passing through a socket. A client on this machine that has the
// rights of the store's owner writes a file into .muster/inbox and asks that it become an object;
// the store moves it to its place by the rules that hold for a body that was received. That both
// mean the same folder is proven by a text in .muster/near, which only the owner can read. Any
// thread.
class Inbox {
 public:
  // `root` is the folder of the store, `own` its .muster.
  static Result<Inbox> Open(const os::Path& root, const Folder& own);

  const os::Path& root() const { return root_; }
  const std::string& proof() const { return proof_; }
  // A file that was left here under this name; it stays until it has a place. kNoSuchUpload when it
  // is none that a client of ours can have written.
  S3Result<TempFile> Take(const std::string& name) const;
  // What nobody asked for since then.
  void RemoveAbandoned(int64_t before_wall_ms) const;

 private:
  Inbox(os::Path root, Folder folder, std::string proof)
      : root_(std::move(root)), folder_(std::move(folder)), proof_(std::move(proof)) {}

  os::Path root_;
  Folder folder_;
  std::string proof_;
};

}  // namespace muster::objects
