#pragma once

#include <cstdint>

#include "os/file.h"

namespace muster::os {

// Has the file system keep `bytes` behind the end of the file, so that what is appended there finds
// room on a full disk. The file's size stays. Zero, or an errno: ENOSPC and EDQUOT where the disk
// is full already, another where the file system cannot; appending then works as without it.
int ReserveBehind(int fd, int64_t bytes);

// FOLDER/disk.reserve: a file that only takes room. It is given up when a short file that must not
// wait, such as a launcher's record, finds the disk full, and made again when there is room.
inline constexpr const char* kReserveFile = "disk.reserve";
void KeepReserve(const Path& folder, int64_t bytes = 1 << 20);
// Empties the reserve of the nearest folder above this open file that has one. False when there is
// none, or it is empty already.
bool GiveUpReserve(int fd);

}  // namespace muster::os
