#include "objects/key_walk.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "objects/key_path.h"

namespace muster::objects {

std::optional<std::string> AfterPrefix(std::string_view prefix) {
  std::string after(prefix);
  while (!after.empty() && static_cast<unsigned char>(after.back()) == 0xff) after.pop_back();
  if (after.empty()) return std::nullopt;
  after.back() = static_cast<char>(static_cast<unsigned char>(after.back()) + 1);
  return after;
}

Result<const Folder*> KeyWalk::Here() {
  if (prefix_.empty()) return &bucket_;
  if (!here_) {
    MUSTER_ASSIGN(here_, bucket_.Sub(PathOfKey(prefix_.substr(0, prefix_.size() - 1))));
  }
  return &*here_;
}

// `name` is "" for the bucket, else "folder/".
Result<bool> KeyWalk::Enter(std::string_view name) {
  auto above = Here();
  auto folder = !above         ? Result<Folder>(std::unexpected(above.error()))
                : name.empty() ? (*above)->Sub(".")
                               : (*above)->Sub(PathOfKey(name.substr(0, name.size() - 1)));
  if (!folder) {
    const int cause = folder.error().sys;
    if (cause == ENOENT || cause == ENOTDIR || cause == ELOOP) return false;
    return std::unexpected(folder.error());
  }
  MUSTER_ASSIGN(auto entries, cache_.Read(*folder));
  levels_.push_back({std::move(entries), 0, prefix_.size()});
  prefix_ += name;
  here_ = std::move(*folder);
  return true;
}

void KeyWalk::Leave() {
  prefix_.resize(levels_.back().prefix);
  levels_.pop_back();
  here_.reset();
}

Status KeyWalk::Seek(std::string_view from) {
  levels_.clear();
  prefix_.clear();
  here_.reset();
  std::string_view name;
  while (true) {
    MUSTER_ASSIGN(const bool entered, Enter(name));
    if (!entered) return {};
    Level& level = levels_.back();
    level.next = level.entries->LowerBound(from);
    // Behind "x/" follow the keys that begin with it, possibly `from`.
    const size_t slash = from.find('/');
    if (slash == std::string_view::npos || level.next == 0) return {};
    name = from.substr(0, slash + 1);
    if ((*level.entries)[level.next - 1].name != name) return {};
    from.remove_prefix(slash + 1);
  }
}

Result<std::optional<std::string>> KeyWalk::Next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.next >= level.entries->size()) {
      Leave();
      continue;
    }
    const FolderEntries::Entry entry = (*level.entries)[level.next++];
    if (!entry.is_folder()) return prefix_ + std::string(entry.name);
    if (prefix_.size() + entry.name.size() > kLongestKey) continue;
    MUSTER_TRY(Enter(entry.name));
  }
  return std::nullopt;
}

void KeyWalk::Skip(std::string_view prefix) {
  while (levels_.size() > 1 && prefix_.starts_with(prefix)) {
    Leave();
  }
  if (levels_.empty() || !prefix.starts_with(prefix_)) return;
  Level& level = levels_.back();
  const auto after = AfterPrefix(prefix.substr(prefix_.size()));
  level.next =
      std::max(level.next, after ? level.entries->LowerBound(*after) : level.entries->size());
}

Result<os::Fd> KeyWalk::Open(int flags) {
  const Level& level = levels_.back();
  const FolderEntries::Entry entry = (*level.entries)[level.next - 1];
  MUSTER_ASSIGN(const Folder* folder, Here());
  return folder->Open(PathOfKey(entry.name, entry.beside ? Form::kBeside : Form::kPlain),
                      flags | O_NONBLOCK | O_NOCTTY);
}

bool KeyWalk::Look(struct stat& info) {
  const Level& level = levels_.back();
  const FolderEntries::Entry entry = (*level.entries)[level.next - 1];
  const auto folder = Here();
  if (!folder) return false;
  const std::string path = PathOfKey(entry.name, entry.beside ? Form::kBeside : Form::kPlain);
  // A long name contains folders; O_NOFOLLOW covers the last component only.
  if (path.find('/') != std::string::npos) {
    const auto file = Open(O_RDONLY);
    return file && ::fstat(file->get(), &info) == 0 && S_ISREG(info.st_mode);
  }
  return ::fstatat((*folder)->fd(), path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode);
}

bool KeyWalk::beside() const {
  const Level& level = levels_.back();
  return (*level.entries)[level.next - 1].beside;
}

}  // namespace muster::objects
