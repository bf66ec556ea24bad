#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "os/fd.h"
#include "os/journal.h"
#include "store/code_files.h"
#include "store/code_store.h"

namespace muster::store {
namespace {

constexpr size_t kSyncedEach = 32;  // for more files, one sync of the file system is quicker

struct PackedFile {
  std::string sha256;
  std::string_view bytes;
  os::Path temporary;
};

std::unexpected<Error> BadPack(size_t number, std::string_view why) {
  return Fail(Code::kInvalid, fmt::format("file {} of the pack: {}", number, why),
              "send for each file SHA256, a space, its size, a line feed, and its bytes");
}

Result<std::vector<PackedFile>> ReadPack(std::string_view pack) {
  constexpr size_t kLongestHead = 64 + 1 + 20;
  std::vector<PackedFile> files;
  while (!pack.empty()) {
    if (files.size() == kMaxPackedFiles)
      return Fail(Code::kTooLarge, fmt::format("the pack has more than {} files", kMaxPackedFiles),
                  "send it in several packs");
    const size_t end = pack.substr(0, kLongestHead + 1).find('\n');
    const std::string_view head = pack.substr(0, end);
    const size_t space = head.find(' ');
    if (end == pack.npos || space == head.npos || !IsSha256(head.substr(0, space)))
      return BadPack(files.size(), "its first line is not a SHA-256 and a size");
    const auto size = ParseInt(head.substr(space + 1));
    pack.remove_prefix(end + 1);
    if (!size || *size < 0 || size_t(*size) > pack.size())
      return BadPack(files.size(), "its size is not a number of bytes that follow");
    files.push_back({std::string(head.substr(0, space)), pack.substr(0, size_t(*size)), {}});
    pack.remove_prefix(size_t(*size));
  }
  return files;
}

Status CheckSums(const std::vector<PackedFile>& files) {
  for (const PackedFile& file : files) {
    if (const std::string sum = os::Sha256(file.bytes); sum != file.sha256)
      return Fail(Code::kCorrupt,
                  fmt::format("upload {}: the bytes have the sum {}", file.sha256, sum),
                  "send it again; the file may have changed while it was read");
  }
  return {};
}

// The kernel begins to write the bytes to the disk; nothing waits for them yet.
Status WriteOne(const PackedFile& file) {
  MUSTER_ASSIGN(const os::Fd out, os::Open(file.temporary, O_WRONLY | O_CREAT | O_EXCL, 0600));
  MUSTER_TRY(os::WriteAll(out.get(), file.bytes));
  if (::fchmod(out.get(), 0444) != 0) return FailErrno(errno, "chmod " + file.temporary.string());
  (void)::sync_file_range(out.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  return {};
}

Status SyncOne(const PackedFile& file, bool bytes_only) {
  constexpr unsigned kWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  MUSTER_ASSIGN(const os::Fd written, os::Open(file.temporary, O_RDONLY));
  const int result =
      bytes_only ? ::sync_file_range(written.get(), 0, 0, kWait) : ::fsync(written.get());
  return result == 0 ? Status{} : FailErrno(errno, "sync " + file.temporary.string());
}

// Two ways to sync many files at once. Where the file system brings changes to the disk in their
// order, the sync of the last file includes the lengths and names of the others, once the bytes of
// all are written. Elsewhere the whole file system is synced, which for many files takes less time
// than a sync of each.
Status SyncAll(const std::vector<PackedFile>& files, const os::Path& folder) {
  MUSTER_ASSIGN(const os::Fd dir, os::Open(folder, O_RDONLY | O_DIRECTORY));
  const bool in_order = os::JournalKeepsOrder(dir.get());
  if (!in_order && files.size() > kSyncedEach) {
    return ::syncfs(dir.get()) == 0 ? Status{} : FailErrno(errno, "sync " + folder.string());
  }
  for (const PackedFile& file : files) MUSTER_TRY(SyncOne(file, in_order));
  return in_order && !files.empty() ? SyncOne(files.back(), false) : Status{};
}

}  // namespace

Result<CodeStore::Packed> CodeStore::AddPack(std::string_view pack) {
  MUSTER_ASSIGN(std::vector<PackedFile> files, ReadPack(pack));
  MUSTER_TRY(CheckSums(files));
  const Packed packed{files.size(), int64_t(pack.size())};
  const Scratch scratch(TemporaryPath());
  MUSTER_TRY(os::MakeDirs(scratch.path()));
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].temporary = scratch.path() / std::to_string(i);
    MUSTER_TRY(WriteOne(files[i]));
  }
  MUSTER_TRY(SyncAll(files, scratch.path()));
  const std::shared_lock lock(collecting_);
  for (const PackedFile& file : files) {
    const os::Path blob = BlobPath(file.sha256);
    MUSTER_TRY(os::MakeDirs(blob.parent_path()));
    MUSTER_TRY(Publish(file.temporary, blob));
    Touch(blob);  // young, where it was there before
  }
  return packed;
}

}  // namespace muster::store
