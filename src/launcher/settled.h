#pragma once

#include <map>
#include <string>
#include <vector>

#include "os/file.h"

namespace muster::launcher {

// The state of a folder: file name to a value that changes with the file.
using FolderLook = std::map<std::string, std::string>;

// Pure. The files that are equal in two looks and differ from the last copy.
std::vector<std::string> Settled(const FolderLook& before, const FolderLook& now,
                                 const FolderLook& copied);

// Whether a process has the file open or mapped for writing. False if the file system cannot tell.
bool IsBeingWritten(const os::Path& file);

}  // namespace muster::launcher
