#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "objects/folder.h"
#include "objects/s3_error.h"
#include "objects/temp_file.h"

namespace muster::objects {

// Moves files to the places of their keys below a bucket, and removes them. Handles a name that is
// a file and must become a folder, and the reverse (key_path.h). Two calls for one bucket must not
// overlap; readers always find the object.

// Moves the file to the place of the key and replaces an existing file. Returns the folders to
// sync.
S3Result<std::vector<os::Fd>> PlaceFile(TempFile& file, const Folder& bucket, std::string_view key);

// Removes the file of the key and folders that become empty. Nothing to sync if there was none.
S3Result<std::vector<os::Fd>> RemoveFile(const Folder& bucket, std::string_view key);

// The file of a key and its stat when it was opened.
struct PlacedFile {
  os::Fd fd;
  struct stat info = {};
};

// The regular file of the key. kNoSuchKey.
S3Result<PlacedFile> OpenPlaced(const Folder& bucket, std::string_view key, int flags);
// As above, below the folder of all buckets, with bucket names checked by the caller: saves one
// step. Also kNoSuchKey if the bucket does not exist.
S3Result<PlacedFile> OpenPlaced(const Folder& root, std::string_view bucket, std::string_view key,
                                int flags);

}  // namespace muster::objects
