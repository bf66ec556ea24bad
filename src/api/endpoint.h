#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/file_identity.h"

namespace muster::api {

// How clients of the same user find a running server: DIR/endpoint.json, readable by its owner
// only. docs/formats/endpoint_file.md has the form.
struct Endpoint {
  std::string url;
  std::string token;
  int pid = 0;
  // Of the embedded object store, for the S3 protocol; empty when there is none.
  struct S3 {
    std::string endpoint, access_key, secret_key, region;
  } s3 = {};
};

Status WriteEndpoint(const os::Path& data, const Endpoint& endpoint);
// At an orderly shutdown. Leaves the file of another server alone.
void RemoveEndpoint(const os::Path& data, int pid);

// DIR/token: made at the first start, kept over restarts so that clients stay logged in. kCorrupt
// when there is something else in it.
Result<std::string> LoadToken(const os::Path& data);

// One server a data directory: DIR/lock, locked while this lives. What is in it tells a second
// server who the first is; a crash leaves the text but no lock.
class DataDirLock {
 public:
  // Makes the folder when there is none. kConflict names the first server: pid, url, folder.
  static Result<DataDirLock> Take(const os::Path& data);
  // For a check that the file which is locked is still the one of this folder: after the folder was
  // removed, a second server finds no lock.
  Result<os::FileIdentity> Identity() const { return os::IdentityOf(file_.get()); }
  // Once the address is known.
  Status SetUrl(const std::string& url);

 private:
  explicit DataDirLock(os::Fd file) : file_(std::move(file)) {}
  Status Write(const std::string& url);

  os::Fd file_;
};

}  // namespace muster::api
