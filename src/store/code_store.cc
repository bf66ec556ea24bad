#include "store/code_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "store/code_files.h"

namespace muster::store {
namespace {

constexpr std::string_view kTemporaryPrefix = ".tmp-";
constexpr size_t kNamedInErrors = 3;  // number of missing blobs that are named; others are counted

mode_t ModeOf(const CodeFile& file) { return file.executable ? 0555 : 0444; }

// All folders of the tree below its root, parents first.
std::set<std::string> FoldersOf(const CodeManifest& manifest) {
  std::set<std::string> folders;
  for (const CodeFile& file : manifest.files) {
    for (size_t slash = file.path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = file.path.rfind('/', slash - 1)) {
      // Its parents are included as well.
      if (!folders.insert(file.path.substr(0, slash)).second) break;
    }
  }
  return folders;
}

}  // namespace

os::Path CodeStore::BlobPath(const std::string& sha256) const {
  return dir_ / "blobs" / sha256.substr(0, 2) / sha256;
}

os::Path CodeStore::TemporaryPath() const {
  return dir_ / fmt::format("{}{}", kTemporaryPrefix, os::RandomHex(12));
}

bool CodeStore::HasTree(const std::string& hash) const {
  struct stat info;
  return IsSha256(hash) && ::stat((dir_ / hash).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

os::Path CodeStore::TreeDir(const std::string& hash) const {
  return IsSha256(hash) ? dir_ / hash : os::Path();
}

std::vector<std::string> CodeStore::Missing(const CodeManifest& manifest) const {
  const std::shared_lock lock(collecting_);
  return MissingNow(manifest);
}

std::vector<std::string> CodeStore::MissingNow(const CodeManifest& manifest) const {
  std::set<std::string_view> seen;
  std::vector<std::string> missing;
  for (const CodeFile& file : manifest.files) {
    if (!file.link.empty() || !IsSha256(file.sha256) || !seen.insert(file.sha256).second) continue;
    const os::Path blob = BlobPath(file.sha256);
    if (::access(blob.c_str(), F_OK) != 0) {
      missing.push_back(file.sha256);
    } else {
      Touch(blob);  // the client will not upload it, so it must not be collected
    }
  }
  return missing;
}

Status CodeStore::CheckBlobs(const CodeManifest& manifest) const {
  const std::vector<std::string> missing = MissingNow(manifest);
  if (!missing.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min(missing.size(), kNamedInErrors); ++i)
      names += (i ? ", " : "") + missing[i];
    if (missing.size() > kNamedInErrors)
      names += fmt::format(" and {} more", missing.size() - kNamedInErrors);
    return Fail(Code::kNotFound, "code snapshot: not uploaded: " + names, "upload them first");
  }
  for (const CodeFile& file : manifest.files) {
    if (!file.link.empty()) continue;
    MUSTER_ASSIGN(const int64_t size, os::FileSize(BlobPath(file.sha256)));
    if (size != file.size)
      return Fail(Code::kInvalid,
                  fmt::format("code snapshot: entry \"{}\": its size is given as {}, its "
                              "content has {} bytes",
                              file.path, file.size, size));
  }
  return {};
}

Result<os::Path> CodeStore::Source(const CodeFile& file) const {
  const os::Path blob = BlobPath(file.sha256);
  if (!file.executable) return blob;
  // All links to an inode share its mode, so the executable form is a separate file.
  const os::Path twin = blob.string() + ".x";
  if (::access(twin.c_str(), F_OK) == 0) return twin;
  const Scratch temporary(TemporaryPath());
  MUSTER_TRY(CopyFile(blob, temporary.path(), ModeOf(file)));
  MUSTER_TRY(Publish(temporary.path(), twin));
  return twin;
}

Status CodeStore::FillTree(const CodeManifest& manifest, const os::Path& root) const {
  const std::set<std::string> folders = FoldersOf(manifest);
  MUSTER_TRY(os::MakeDirs(root));
  for (const std::string& folder : folders) MUSTER_TRY(os::MakeDirs(root / folder));
  for (const CodeFile& file : manifest.files) {
    const os::Path path = root / file.path;
    if (!file.link.empty()) {
      if (::symlink(file.link.c_str(), path.c_str()) != 0)
        return FailErrno(errno, "make link " + path.string());
      continue;
    }
    MUSTER_ASSIGN(const os::Path source, Source(file));
    MUSTER_TRY(LinkOrCopy(source, path, ModeOf(file)));
  }
  for (const std::string& folder : folders) MUSTER_TRY(os::SyncDir(root / folder));
  return os::SyncDir(root);
}

Status CodeStore::MakeTree(const CodeManifest& manifest, const os::Path& target) const {
  MUSTER_TRY(CheckBlobs(manifest));
  Scratch scratch(TemporaryPath());
  MUSTER_TRY(FillTree(manifest, scratch.path()));
  if (::rename(scratch.path().c_str(), target.c_str()) == 0) {
    scratch.Keep();
  } else if (errno != ENOTEMPTY && errno != EEXIST) {  // a concurrent call was faster
    return FailErrno(errno,
                     fmt::format("rename {} to {}", scratch.path().string(), target.string()));
  }
  return {};
}

Result<std::string> CodeStore::Commit(const CodeManifest& manifest) {
  MUSTER_TRY(CheckManifest(manifest));
  const std::string hash = ManifestHash(manifest);
  const std::shared_lock lock(collecting_);
  if (HasTree(hash)) {
    Touch(TreeDir(hash));
  } else {
    MUSTER_TRY(MakeTree(manifest, TreeDir(hash)));
  }
  // Also if another call created the tree, which may not have synced yet.
  MUSTER_TRY(os::SyncDir(dir_));
  MUSTER_TRY(os::SyncDir(dir_ / ".."));
  return hash;
}

Status CodeStore::CleanTemporary() {
  std::vector<os::Path> found;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(dir_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kTemporaryPrefix))
      found.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return FailErrno(error.value(), "read folder " + dir_.string());
  for (const os::Path& path : found) MUSTER_TRY(os::RemoveTree(path));
  return {};
}

}  // namespace muster::store
