#include "objects/folder_entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "objects/key_path.h"

namespace muster::objects {
namespace {

constexpr size_t kWorthKeeping = 256;  // entries
constexpr size_t kMostKept = 16;       // folders
constexpr int kMostParts = 16;         // of one long name
// A change within the same tick of the kernel clock does not change the times of a folder.
constexpr int64_t kTickNs = 50'000'000;

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

enum class Kind { kFolder, kFile, kOther };

Kind KindOf(int fd, const dirent& entry) {
  if (entry.d_type == DT_DIR) return Kind::kFolder;
  if (entry.d_type == DT_REG) return Kind::kFile;
  if (entry.d_type != DT_UNKNOWN) return Kind::kOther;
  struct stat info{};
  if (::fstatat(fd, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return Kind::kOther;
  return S_ISDIR(info.st_mode) ? Kind::kFolder : S_ISREG(info.st_mode) ? Kind::kFile : Kind::kOther;
}

}  // namespace

Result<FolderEntries> FolderEntries::Read(const Folder& folder) {
  FolderEntries entries;
  MUSTER_TRY(entries.ReadInto(folder.fd(), "", 0));
  entries.Sort();
  return entries;
}

Status FolderEntries::ReadInto(int fd, const std::string& long_part, int depth) {
  // A separate description, because the read position of a shared one is shared.
  const int own = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return FailErrno(errno, "read a folder of a bucket");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own), ::closedir);
  if (!stream) return FailErrno(errno, "read a folder of a bucket");
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const Kind kind = KindOf(fd, *entry);
    if (kind == Kind::kOther) continue;
    if (const auto part = LongNamePart(name); part && kind == Kind::kFolder) {
      has_long_names_ = true;
      const os::Fd sub(
          ::openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (sub && depth < kMostParts) {
        MUSTER_TRY(ReadInto(sub.get(), long_part + std::string(*part), depth + 1));
      }
      continue;
    }
    const auto end = LongNameEnd(name);
    if (end.has_value() != (depth > 0)) continue;
    const auto read = ReadKeyName(end ? long_part + std::string(*end) : std::string(name));
    if (!read || (read->beside && kind == Kind::kFolder)) continue;
    Add(read->text, kind == Kind::kFolder, read->beside);
  }
  return {};
}

void FolderEntries::Add(const std::string& name, bool is_folder, bool beside) {
  if (name.size() > kLongestKey || names_.size() + name.size() + 1 > UINT32_MAX) return;
  slots_.push_back({static_cast<uint32_t>(names_.size()),
                    static_cast<uint16_t>(name.size() + (is_folder ? 1 : 0)), beside});
  names_ += name;
  if (is_folder) names_ += '/';
}

FolderEntries::Entry FolderEntries::operator[](size_t index) const {
  const Slot& slot = slots_[index];
  return {std::string_view(names_).substr(slot.offset, slot.length), slot.beside};
}

void FolderEntries::Sort() {
  const std::string_view names = names_;
  const auto name_of = [&](const Slot& slot) { return names.substr(slot.offset, slot.length); };
  std::sort(slots_.begin(), slots_.end(), [&](const Slot& a, const Slot& b) {
    const int order = name_of(a).compare(name_of(b));
    return order != 0 ? order < 0 : a.beside < b.beside;
  });
  // If an object has both of its names, the plain one counts.
  const auto twice = std::unique(slots_.begin(), slots_.end(), [&](const Slot& a, const Slot& b) {
    return name_of(a) == name_of(b);
  });
  slots_.erase(twice, slots_.end());
  slots_.shrink_to_fit();
}

size_t FolderEntries::LowerBound(std::string_view name) const {
  const std::string_view names = names_;
  const auto it = std::lower_bound(slots_.begin(), slots_.end(), name,
                                   [&](const Slot& slot, std::string_view wanted) {
                                     return names.substr(slot.offset, slot.length) < wanted;
                                   });
  return static_cast<size_t>(it - slots_.begin());
}

Result<std::shared_ptr<const FolderEntries>> EntryCache::Read(const Folder& folder) {
  struct stat info{};
  if (::fstat(folder.fd(), &info) != 0) return FailErrno(errno, "examine a folder of a bucket");
  const int64_t mtime = Nanoseconds(info.st_mtim), ctime = Nanoseconds(info.st_ctim);
  {
    const MutexLock lock(mutex_);
    for (auto it = known_.begin(); it != known_.end(); ++it) {
      if (it->device != info.st_dev || it->inode != info.st_ino) continue;
      if (it->mtime_ns == mtime && it->ctime_ns == ctime) {
        known_.splice(known_.begin(), known_, it);
        return it->entries;
      }
      known_.erase(it);
      break;
    }
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  MUSTER_ASSIGN(FolderEntries read, FolderEntries::Read(folder));
  auto entries = std::make_shared<const FolderEntries>(std::move(read));
  const bool settled = Nanoseconds(now) - std::max(mtime, ctime) > kTickNs;
  if (entries->size() >= kWorthKeeping && !entries->has_long_names() && settled) {
    const MutexLock lock(mutex_);
    known_.push_front({info.st_dev, info.st_ino, mtime, ctime, entries});
    if (known_.size() > kMostKept) known_.pop_back();
  }
  return entries;
}

}  // namespace muster::objects
