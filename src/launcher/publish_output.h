#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "model/publication.h"
#include "os/file.h"
#include "transfer/copy.h"
#include "transfer/stores.h"

namespace muster::launcher {

// Hears how far it is, a few times a second, in words.
using PublishProgress = std::function<void(std::string)>;

// The place that a publication names, as a folder.
Result<transfer::Location> FolderAt(const std::string& place);

// Copies by the same options for everything that is published: tried again for a while, and going
// on where an earlier one was killed. The first thing that failed is the error.
Result<transfer::Summary> CopyThere(const transfer::Location& from, const transfer::Location& to,
                                    transfer::CopyOptions options, const os::Path& records,
                                    transfer::Stores& stores, transfer::Observer& observer);

// All files below a folder but for a manifest on top of it.
transfer::Filter AllButManifest();

// A manifest that stands there says nothing any more: what it names is about to be replaced.
Status RemoveManifest(const transfer::Location& to, transfer::Stores& stores);

// Puts what the ranks left in an output's folder to its destination, with a manifest behind it.
// Nobody may write there any more. Blocks; a kill at any instant leaves what the next one goes on
// with. A note for people.
Result<std::string> PublishOutput(const OutputOrder& output, const Publication& publication,
                                  const os::Path& scratch, transfer::Stores& stores,
                                  const PublishProgress& progress);

// The logs as they are now, under their names. How many; those that are not there are left out.
Result<int> PublishLogs(const Publication& publication, transfer::Stores& stores);

}  // namespace muster::launcher
