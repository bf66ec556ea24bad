#pragma once

#include <string>

#include "os/file.h"

namespace muster::objects {

// The content of a bucket's folder without any object, created manually: empty folders are removed
// with the bucket; files that are not objects prevent the removal.

void RemoveEmptyFolders(const os::Path& bucket);

// Why a bucket without objects cannot be removed: the first file, in name order, that must be
// removed manually.
std::string WhatIsLeft(const os::Path& bucket);

}  // namespace muster::objects
