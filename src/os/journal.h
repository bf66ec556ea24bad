#pragma once

namespace muster::os {

// Whether the file system of `fd` brings changes of names, lengths and attributes to the disk in
// the order in which they were made, so that a sync of the last makes all of them last: XFS, and
// ext4 that has its journal. Others may; these are known to.
bool JournalKeepsOrder(int fd);

}  // namespace muster::os
