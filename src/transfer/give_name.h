#pragma once

#include "transfer/local_tree.h"

namespace muster::transfer {

// Where a copy to this one path puts its file: links at its end are followed, as cp does, to the
// file that they lead to or that is to be there. kConflict for a link without end, or one to a file
// that some process has open (/dev/stdout): such a file cannot be replaced.
Result<os::Path> FollowLinks(const os::Path& named);

// kConflict unless the name is free or a regular file's: a device or pipe would become a file, and
// whoever reads there would never see a byte. Links are not followed, since a folder's may lead
// anywhere.
Status CheckReplaceable(const LocalTree::Place& place);

// Gives a whole file that has no name (O_TMPFILE) that of the place; what was there is replaced at
// once. Several may do so at the same time, in other processes too: the last one stays. What a kill
// leaves goes with the next that replaces the same name.
Status GiveName(int fd, const LocalTree::Place& place);

}  // namespace muster::transfer
