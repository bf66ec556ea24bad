#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "objects/folder.h"
#include "objects/s3_error.h"
#include "objects/temp_file.h"

namespace muster::objects {

// Brings files to the places of their keys below a bucket, and takes them away. A name that is a
// file and must become a folder, or the other way round, is handled here (key_path.h). Two calls on
// one bucket must not overlap; readers may look at any moment and always find the object.

// Moves the file to the key's place, over what was there. The folders that have to be synced for it
// to last.
S3Result<std::vector<os::Fd>> PlaceFile(TempFile& file, const Folder& bucket, std::string_view key);

// Removes the key's file, and folders that are empty then. Nothing to sync: there was none.
S3Result<std::vector<os::Fd>> RemoveFile(const Folder& bucket, std::string_view key);

// A key's file, and what it was when it was opened.
struct PlacedFile {
  os::Fd fd;
  struct stat info = {};
};

// The key's file, a regular one, whatever else stands there. kNoSuchKey.
S3Result<PlacedFile> OpenPlaced(const Folder& bucket, std::string_view key, int flags);
// The same below the folder of all buckets, whose names are checked by the caller: one step less.
// Also kNoSuchKey where there is no such bucket.
S3Result<PlacedFile> OpenPlaced(const Folder& root, std::string_view bucket, std::string_view key,
                                int flags);

}  // namespace muster::objects
