#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "model/publication.h"
#include "os/file.h"
#include "transfer/copy.h"
#include "transfer/stores.h"

namespace muster::launcher {

// Receives the progress as text, a few times per second.
using PublishProgress = std::function<void(std::string)>;

// The destination of a publication, as a folder.
Result<transfer::Location> FolderAt(const std::string& place);

// Copies with the options of all publications: retries for a while, and resumes after a kill.
// Returns the first failure as the error.
Result<transfer::Summary> CopyThere(const transfer::Location& from, const transfer::Location& to,
                                    transfer::CopyOptions options, const os::Path& records,
                                    transfer::Stores& stores, transfer::Observer& observer);

// All files below a folder except a manifest at the top level.
transfer::Filter AllButManifest();

// Removes the manifest before its files are replaced.
Status RemoveManifest(const transfer::Location& to, transfer::Stores& stores);

// Copies an output folder to its destination and writes a manifest. No process may write to the
// folder any more. Blocks. After a kill the next call resumes. Returns a note for users.
Result<std::string> PublishOutput(const OutputOrder& output, const Publication& publication,
                                  const os::Path& scratch, transfer::Stores& stores,
                                  const PublishProgress& progress);

// Copies the current logs under their names; missing logs are skipped. Returns their number.
Result<int> PublishLogs(const Publication& publication, transfer::Stores& stores);

}  // namespace muster::launcher
