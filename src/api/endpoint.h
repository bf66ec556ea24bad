#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/file_identity.h"

namespace muster::api {

// The description of a running server for clients of the same user: DIR/endpoint.json, readable by
// its owner only; see docs/formats/endpoint_file.md.
struct Endpoint {
  std::string url;
  std::string token;
  int pid = 0;
  // The embedded object store; empty without one.
  struct S3 {
    std::string endpoint, access_key, secret_key, region;
  } s3 = {};
};

Status WriteEndpoint(const os::Path& data, const Endpoint& endpoint);
// Called at shutdown. Leaves the file of another server unchanged.
void RemoveEndpoint(const os::Path& data, int pid);

// DIR/token: created at the first start and kept over restarts. kCorrupt for other content.
Result<std::string> LoadToken(const os::Path& data);

// Ensures one server per data directory: DIR/lock, locked while this object exists. Its text names
// the first server; after a crash the text remains without a lock.
class DataDirLock {
 public:
  // Creates the folder if necessary. kConflict names the first server: pid, url, folder.
  static Result<DataDirLock> Take(const os::Path& data);
  // For a check that the file which is locked is still the one of this folder: after the folder was
  // removed, a second server finds no lock.
  Result<os::FileIdentity> Identity() const { return os::IdentityOf(file_.get()); }
  // Called when the address is known.
  Status SetUrl(const std::string& url);

 private:
  explicit DataDirLock(os::Fd file) : file_(std::move(file)) {}
  Status Write(const std::string& url);

  os::Fd file_;
};

}  // namespace muster::api
