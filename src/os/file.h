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

// All descriptors made here are close-on-exec. Errors name operation and path.

Result<Fd> Open(const Path& path, int flags, mode_t mode = 0644);

// The whole file; kTooLarge above `limit` bytes (special files that never end included).
Result<std::string> ReadFile(const Path& path, int64_t limit = 64 << 20);
// The bytes at [offset, offset + limit), fewer at the end of the file.
Result<std::string> ReadAt(const Path& path, int64_t offset, int64_t limit);
Result<int64_t> FileSize(const Path& path);

// Whole or not at all: a temporary name in the same folder, written, synced, renamed, folder
// synced. Without `sync` it survives a killed process but perhaps not a power cut.
Status WriteFileAtomic(const Path& path, std::string_view content, mode_t mode = 0644,
                       bool sync = true);
// For a path where nothing is yet and where nobody looks before this has returned: written in
// place, not synced. What a killed process left there is replaced atomically.
Status WriteNewFile(const Path& path, std::string_view content, mode_t mode);
// A name for what is written before it gets its real one, and the removal of those that a killed
// process left in `folder`. Only while nobody writes there.
std::string TemporaryName();
bool IsTemporaryName(std::string_view name);
void RemoveTemporaries(const Path& folder);
// Gives an open file that has no name (O_TMPFILE) this one. Zero, or -1 and errno; EEXIST where it
// is taken.
int NameFile(int fd, int folder, const char* leaf);
// All bytes, through short writes and interruptions.
Status WriteAll(int fd, std::string_view content);

Status MakeDirs(const Path& path, mode_t mode = 0755);
// A whole tree, not following links; a missing one is no error.
Status RemoveTree(const Path& path);
Status SyncDir(const Path& path);

// Copies a tree of folders, regular files and links (kept as links), modes kept, with
// copy_file_range where the kernel can. Sockets, pipes and devices are left out with a warning.
// `to` must not exist, nor lie inside `from`; after an error it does not exist either. `go_on` is
// asked again and again on the way: when it says no, the copy ends with the errno ECANCELED.
using GoOn = std::function<bool()>;
Status CopyTree(const Path& from, const Path& to, const GoOn& go_on = [] { return true; });

// Exclusive advisory lock (F_OFD_SETLK) on a file open for writing: true when taken, false when
// another holds it. Held until the descriptor and all its duplicates close; children do not inherit
// it over exec.
Result<bool> TryLock(int fd);
// Whether some living process holds the lock on `path`; never disturbs it. False when the file is
// missing, true when that cannot be found out.
bool IsLocked(const Path& path);

// SHA-256 as 64 lower-case hex digits.
std::string Sha256(std::string_view bytes);
Result<std::string> Sha256OfFile(const Path& path);

// `bytes` random bytes from the kernel as lower-case hex.
std::string RandomHex(int bytes);

// Where this user's data goes when nobody says otherwise: $MUSTER_DATA, else
// $XDG_DATA_HOME/muster, else ~/.local/share/muster.
Path DefaultDataDir();

// The path of the running executable (/proc/self/exe resolved).
Path SelfPath();

}  // namespace muster::os
