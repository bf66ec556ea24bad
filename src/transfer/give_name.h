#pragma once

#include "transfer/local_tree.h"

namespace muster::transfer {

// The file that a copy to this path writes: symbolic links at the end of the path are followed, as
// cp does, to an existing file or to a name that will be created. kConflict for a loop of links, or
// for a link to an open file (/dev/stdout), which cannot be replaced.
Result<os::Path> FollowLinks(const os::Path& named);

// kConflict unless the name is free or is a regular file: replacing a device or a pipe would cut
// off its readers. Links are not followed, because a link inside the folder may lead anywhere.
Status CheckReplaceable(const LocalTree::Place& place);

// Gives an unnamed complete file (O_TMPFILE) the name of the place and replaces an existing file
// atomically. Several threads and processes may do so at the same time; the last one wins. The next
// replacement of the same name removes what a kill leaves.
Status GiveName(int fd, const LocalTree::Place& place);

}  // namespace muster::transfer
