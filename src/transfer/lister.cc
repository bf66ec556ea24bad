#include "transfer/lister.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "transfer/fetch.h"

namespace muster::transfer {
namespace {

Item FileItem(const os::Path& path, std::string name, const struct stat& info) {
  Item item;
  item.name = std::move(name);
  item.at.path = path;
  item.size = info.st_size;
  item.mtime_ms = info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000;
  // The same form as FileIdentity in object_copy.h.
  item.identity = fmt::format("{} {}.{:09} {}", info.st_size, info.st_mtim.tv_sec,
                              info.st_mtim.tv_nsec, info.st_ino);
  return item;
}

Item ObjectItem(const Location& location, const ObjectInfo& info, std::string name) {
  Item item;
  item.name = std::move(name);
  item.at = location;
  item.at.key = info.key;
  item.size = info.size;
  item.mtime_ms = info.mtime_ms;
  item.etag = info.etag;
  item.etag_is_md5 = info.etag_is_md5;
  item.checksum = info.checksum;
  item.file = info.file;
  item.identity = fmt::format("{} {}", info.etag, info.size);
  return item;
}

// The names in a folder, sorted by bytes. Nothing if the folder was removed meanwhile.
Result<std::vector<std::string>> NamesIn(const os::Path& folder) {
  DIR* const dir = ::opendir(folder.c_str());
  if (dir == nullptr && errno == ENOENT) return std::vector<std::string>();
  if (dir == nullptr) return FailErrno(errno, "read the folder " + folder.string());
  const std::unique_ptr<DIR, int (*)(DIR*)> owner(dir, ::closedir);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !os::IsTemporaryName(name)) names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// `mode` is the mode of the link target.
std::string_view WhyNot(bool link, mode_t mode) {
  if (!link) return "no regular file";
  if (S_ISDIR(mode)) return "a link to a folder, which is not followed";
  return "a link that leads to no file";
}

// Walks a file tree iteratively: a tree may be deeper than the stack allows.
class TreeWalk {
 public:
  TreeWalk(Session& session, const os::Path& root, const Filter& filter, const TakeItem& take,
           const PassOver& passed_over)
      : session_(session), root_(root), filter_(filter), take_(take), passed_over_(passed_over) {}

  Status Run() {
    std::vector<std::string> folders = {""};  // relative, each with a trailing '/'
    while (!folders.empty() && !ended_ && !session_.stopped()) {
      const std::string folder = std::move(folders.back());
      folders.pop_back();
      MUSTER_ASSIGN(const auto names, NamesIn(root_ / folder));
      std::vector<std::string> deeper;
      for (const std::string& name : names) {
        MUSTER_TRY(Visit(folder + name, deeper));
        if (ended_) return {};
      }
      folders.insert(folders.end(), deeper.rbegin(), deeper.rend());
    }
    return {};
  }

 private:
  Status Visit(const std::string& name, std::vector<std::string>& deeper) {
    const os::Path path = root_ / name;
    struct stat info = {};
    if (::lstat(path.c_str(), &info) != 0) {
      if (errno == ENOENT) return {};
      return FailErrno(errno, "look at " + path.string());
    }
    if (S_ISDIR(info.st_mode)) {
      deeper.push_back(name + "/");
      return {};
    }
    const bool link = S_ISLNK(info.st_mode);
    if (link && ::stat(path.c_str(), &info) != 0) info.st_mode = 0;
    if (!S_ISREG(info.st_mode)) {
      session_.Note(fmt::format("passed over {}: it is {}", Printable(path.string()),
                                WhyNot(link, info.st_mode)));
      if (passed_over_) passed_over_(name);
      return {};
    }
    if (filter_.Takes(name)) ended_ = !take_(FileItem(path, name, info));
    return {};
  }

  Session& session_;
  const os::Path& root_;
  const Filter& filter_;
  const TakeItem& take_;
  const PassOver& passed_over_;
  bool ended_ = false;
};

// Sets `found` to false if no object is below the prefix.
Status ListPrefix(Worker& worker, const Location& location, const std::string& prefix,
                  const Filter& filter, const TakeItem& take, bool& found) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(location.profile));
  std::string token;
  do {
    auto page = worker.Try(&client->store(),
                           [&] { return client->List(location.bucket, prefix, "", token); });
    if (!page) return std::unexpected(std::move(page).error().error);
    for (const ObjectInfo& info : page->objects) {
      if (!info.key.starts_with(prefix)) {
        return Fail(Code::kCorrupt, "the server listed a key that was not asked for");
      }
      found = true;
      std::string name = info.key.substr(prefix.size());
      if (name.empty() || !filter.Takes(name)) continue;  // the marker object of the folder itself
      if (!take(ObjectItem(location, info, std::move(name)))) return {};
    }
    // A server that repeats its continuation token would cause an endless loop.
    if (!page->next.empty() && page->next == token) {
      return Fail(Code::kCorrupt, "the server's listing does not go on");
    }
    token = page->next;
  } while (!token.empty() && !worker.session.stopped());
  return {};
}

Status ListObjects(Worker& worker, const Location& location, bool recursive, const Filter& filter,
                   const TakeItem& take) {
  if (!recursive && location.names_folder) {
    return Fail(Code::kInvalid, fmt::format("{} is a folder", Show(location)),
                "copy what is below it with -r");
  }
  if (recursive) {
    std::string prefix = location.key;
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    bool found = false;
    MUSTER_TRY(ListPrefix(worker, location, prefix, filter, take, found));
    if (found || location.key.empty()) return {};
    if (location.names_folder) {
      return Fail(Code::kNotFound, fmt::format("there is nothing below {}", Show(location)),
                  fmt::format("look: muster objects ls s3://{}", location.bucket));
    }
  }
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(location.profile));
  auto info = worker.Try(&client->store(), [&]() -> Outcome<ObjectInfo> {
    // A store on the same machine reports the path of an object's file only in a listing. The
    // first entry of the listing is the object, because a key sorts before longer keys that begin
    // with it.
    if (client->store().near()) {
      MUSTER_ASSIGN(ListPage page, client->List(location.bucket, location.key, "", "", 1));
      const bool found = !page.objects.empty() && page.objects.front().key == location.key;
      if (found) return std::move(page.objects.front());
    }
    return client->Head(location.bucket, location.key);
  });
  if (!info) return std::unexpected(std::move(info).error().error);
  take(ObjectItem(location, *info, LastName(location)));
  return {};
}

Status ListFiles(Worker& worker, const Location& location, bool recursive, const Filter& filter,
                 const TakeItem& take, const PassOver& passed_over) {
  struct stat info = {};
  if (::stat(location.path.c_str(), &info) != 0) {
    return FailErrno(errno, "find " + location.path.string());
  }
  if (S_ISDIR(info.st_mode)) {
    if (!recursive) {
      return Fail(Code::kInvalid, fmt::format("{} is a folder", Show(location)),
                  "copy what is below it with -r");
    }
    return TreeWalk(worker.session, location.path, filter, take, passed_over).Run();
  }
  if (!S_ISREG(info.st_mode)) {
    return Fail(Code::kInvalid, fmt::format("{} is not a regular file", Show(location)));
  }
  take(FileItem(location.path, LastName(location), info));
  return {};
}

}  // namespace

Status ListItems(Worker& worker, const Location& location, bool recursive, const Filter& filter,
                 const TakeItem& take, const PassOver& passed_over) {
  switch (location.kind) {
    case Location::Kind::kFile:
      return ListFiles(worker, location, recursive, filter, take, passed_over);
    case Location::Kind::kObject:
      return ListObjects(worker, location, recursive, filter, take);
    case Location::Kind::kHttp:
      break;
  }
  auto item = worker.Try(nullptr, [&] { return ProbeAddress(worker, location); });
  if (!item) return std::unexpected(std::move(item).error().error);
  take(std::move(*item));
  return {};
}

Status Refresh(Worker& worker, Item& item) {
  const std::string name = item.name;
  return ListItems(worker, item.at, false, {}, [&](Item fresh) {
    item = std::move(fresh);
    item.name = name;
    return false;
  });
}

Status ListIfThere(Worker& worker, const Location& folder, const Filter& filter,
                   const TakeItem& take) {
  if (folder.kind == Location::Kind::kFile) {
    struct stat info = {};
    if (::stat(folder.path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return {};
    return TreeWalk(worker.session, folder.path, filter, take, {}).Run();
  }
  if (folder.kind == Location::Kind::kHttp) return {};  // a URL has no listing
  std::string prefix = folder.key;
  if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
  bool found = false;
  return ListPrefix(worker, folder, prefix, filter, take, found);
}

}  // namespace muster::transfer
