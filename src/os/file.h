#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace muster::os {

using Path = std::filesystem::path;

// All descriptors opened here are close-on-exec. Errors name operation and path.

Result<Fd> Open(const Path& path, int flags, mode_t mode = 0644);

// The whole file; kTooLarge above `limit` bytes, also for special files without an end.
Result<std::string> ReadFile(const Path& path, int64_t limit = 64 << 20);
// The bytes in [offset, offset + limit), fewer at the end of the file.
Result<std::string> ReadAt(const Path& path, int64_t offset, int64_t limit);
Result<int64_t> FileSize(const Path& path);

// Writes the file atomically: temporary name in the same folder, write, sync, rename, sync of the
// folder. Without `sync` the content survives a killed process but not necessarily a power cut.
Status WriteFileAtomic(const Path& path, std::string_view content, mode_t mode = 0644,
                       bool sync = true);
// For a new path that no other process reads before this call returns: written in place, not
// synced. A leftover of a killed process is replaced atomically.
Status WriteNewFile(const Path& path, std::string_view content, mode_t mode);
// A temporary name, and the removal of temporary files that killed processes left in `folder`. No
// other process may write to the folder during the removal.
std::string TemporaryName();
bool IsTemporaryName(std::string_view name);
void RemoveTemporaries(const Path& folder);
// Links an open unnamed file (O_TMPFILE) to this name. Returns 0, or -1 with errno; EEXIST if the
// name exists.
int NameFile(int fd, int folder, const char* leaf);
// Writes all bytes, despite short writes and interruptions.
Status WriteAll(int fd, std::string_view content);

Status MakeDirs(const Path& path, mode_t mode = 0755);
// Removes a tree without following links; a missing tree is not an error.
Status RemoveTree(const Path& path);
Status SyncDir(const Path& path);

// Copies a tree of folders, regular files and symbolic links with their modes, by copy_file_range
// where possible. Skips sockets, pipes and devices with a warning. `to` must not exist or be inside
// `from`; after an error it does not exist. `go_on` is called repeatedly; when it returns false the
// copy fails with ECANCELED.
using GoOn = std::function<bool()>;
Status CopyTree(const Path& from, const Path& to, const GoOn& go_on = [] { return true; });

// Takes an exclusive advisory lock (F_OFD_SETLK) on a file open for writing: true if taken, false
// if another process holds it. Held until the descriptor and all its duplicates are closed;
// children do not inherit it over exec.
Result<bool> TryLock(int fd);
// Whether a living process holds the lock on `path`; does not disturb the lock. False if the file
// is missing, true if the state is unknown.
bool IsLocked(const Path& path);

// SHA-256 as 64 lower-case hex digits.
std::string Sha256(std::string_view bytes);
Result<std::string> Sha256OfFile(const Path& path);

// `bytes` random bytes of the kernel as lower-case hex.
std::string RandomHex(int bytes);

// The default data directory of this user: $MUSTER_DATA, else $XDG_DATA_HOME/muster, else
// ~/.local/share/muster.
Path DefaultDataDir();

// The path of the running executable (/proc/self/exe resolved).
Path SelfPath();

}  // namespace muster::os
