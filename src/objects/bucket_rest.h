#pragma once

#include <string>

#include "os/file.h"

namespace muster::objects {

// What the folder of a bucket may hold when no object is in it any more, all of it made by hand:
// folders, which go with the bucket, and what is neither object nor folder, which never does.

void RemoveEmptyFolders(const os::Path& bucket);

// Why a bucket without objects cannot be removed: names what is to be removed by hand, first in the
// order of names.
std::string WhatIsLeft(const os::Path& bucket);

}  // namespace muster::objects
