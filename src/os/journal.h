#pragma once

namespace muster::os {

// Whether the file system of `fd` writes changes of names, lengths and attributes to disk in order,
// so that a sync of the last change includes the earlier ones: XFS, and ext4 with a journal. Other
// file systems may do so as well.
bool JournalKeepsOrder(int fd);

}  // namespace muster::os
