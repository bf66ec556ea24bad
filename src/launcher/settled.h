#pragma once

#include <map>
#include <string>
#include <vector>

#include "os/file.h"

namespace muster::launcher {

// What a look at a folder found: name -> what changes when the file does.
using FolderLook = std::map<std::string, std::string>;

// Pure. Those that are the same in two looks, and another than at the last time they were copied.
std::vector<std::string> Settled(const FolderLook& before, const FolderLook& now,
                                 const FolderLook& copied);

// Whether some process has the file open for writing, or mapped so. False where the file system
// cannot tell.
bool IsBeingWritten(const os::Path& file);

}  // namespace muster::launcher
