#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "os/file.h"

namespace muster::cli {

// An entry of a code folder, in the form of POST /code.
struct SnapshotFile {
  std::string path;    // relative to the folder, with '/' between components
  std::string sha256;  // of the bytes; for a link, of its target
  int64_t size = 0;
  bool executable = false;
  std::string link;  // relative target of a link that stays inside the folder
};

struct Snapshot {
  os::Path root;                    // the folder with links resolved
  std::vector<SnapshotFile> files;  // sorted by path
  int64_t bytes = 0;
  std::vector<std::string> notes;  // skipped entries that a user may miss
};

struct SnapshotOptions {
  int64_t limit = 200'000'000;  // bytes
  int64_t max_files = 100'000;
  int threads = 2;
  // Called after each read of a file; tests use it to change the file.
  std::function<void(const os::Path&)> after_read_for_test;
};

// The files under `folder` that .gitignore and .musterignore leave, with sizes but without sums.
// .git is never taken; sockets, pipes, devices, virtual environments of Python and data folders of
// a server are skipped with a note. kTooLarge names the largest folders; kInvalid names links to
// files outside and names that are not UTF-8; kNotFound, kDenied and kInvalid say what is wrong
// with the folder itself.
Result<Snapshot> ScanFolder(const os::Path& folder, const SnapshotOptions& options);

// The part of `path` (relative to `folder`) that keeps it out of the snapshot: the file itself or
// a folder around it, with '/' at its end. Empty when nothing excludes the file.
Result<std::string> ExcludedPart(const os::Path& folder, const std::string& path);

// Computes the hashes. A file that changes while it is read is read once more, and rejected by name
// (kConflict) if it changes again.
Status HashFiles(Snapshot& snapshot, const SnapshotOptions& options);

json::object ManifestJson(const Snapshot& snapshot);

}  // namespace muster::cli
