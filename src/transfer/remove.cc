#include "transfer/remove.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "transfer/lister.h"

namespace muster::transfer {
namespace {

constexpr size_t kMostAtOnce = 1000;

std::string KeyPrefix(const Location& folder) {
  return folder.key.empty() || folder.key.ends_with('/') ? folder.key : folder.key + "/";
}

Status RemoveObjects(Worker& worker, const Location& folder, std::span<const std::string> names,
                     const std::function<void(const std::string&)>& gone) {
  MUSTER_ASSIGN(S3Client* const client, worker.StoreFor(folder.profile));
  const std::string prefix = KeyPrefix(folder);
  Status first;
  for (size_t at = 0; at < names.size(); at += kMostAtOnce) {
    const auto batch = names.subspan(at, std::min(kMostAtOnce, names.size() - at));
    std::vector<std::string> keys;
    for (const std::string& name : batch) keys.push_back(prefix + name);
    auto faults = worker.Try(&client->store(), [&] { return client->Delete(folder.bucket, keys); });
    if (!faults) return std::unexpected(std::move(faults).error().error);
    for (const std::string& name : batch) {
      const auto fault = std::ranges::find(*faults, prefix + name, &DeleteFault::key);
      if (fault == faults->end()) {
        gone(name);
      } else if (first) {
        first = Fail(Code::kDenied, fmt::format("cannot delete s3://{}/{}: {} ({})", folder.bucket,
                                                Printable(fault->key), Printable(fault->message),
                                                Printable(fault->s3_code)));
      }
    }
  }
  return first;
}

Status RemoveFiles(const Location& folder, std::span<const std::string> names,
                   const std::function<void(const std::string&)>& gone) {
  Status first;
  for (const std::string& name : names) {
    const os::Path path = folder.path / name;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      if (first) first = FailErrno(errno, "delete " + path.string());
      continue;
    }
    gone(name);
    // Removes parent folders that became empty, up to the first one that is not empty.
    os::Path above = os::Path(name).parent_path();
    while (!above.empty() && ::rmdir((folder.path / above).c_str()) == 0) {
      above = above.parent_path();
    }
  }
  return first;
}

}  // namespace

Status RemoveBelow(Worker& worker, const Location& folder, std::span<const std::string> names,
                   const std::function<void(const std::string&)>& gone) {
  return folder.kind == Location::Kind::kFile ? RemoveFiles(folder, names, gone)
                                              : RemoveObjects(worker, folder, names, gone);
}

Result<int64_t> Remove(const Location& location, const RemoveOptions& options, Stores& stores,
                       Observer& observer) {
  const CopyOptions plain;
  Session session(plain, stores, observer);
  Worker worker(session);
  std::vector<std::string> names;
  int64_t count = 0;
  Location folder = location;
  folder.key.resize(options.recursive ? folder.key.size() : 0);
  const auto gone = [&](const std::string& name) {
    ++count;
    observer.Did({options.dry_run ? Deed::Kind::kWouldDelete : Deed::Kind::kDeleted, "",
                  Show(Below(folder, name)), 0});
  };
  const auto flush = [&]() -> Status {
    if (options.dry_run) {
      std::ranges::for_each(names, gone);
    } else {
      MUSTER_TRY(RemoveBelow(worker, folder, names, gone));
    }
    names.clear();
    return {};
  };
  if (!options.recursive) {
    // S3 reports success for the deletion of a missing object; a mistyped name must not look like
    // success.
    MUSTER_TRY(ListItems(worker, location, false, {}, [](const Item&) { return true; }));
    names.push_back(location.key);
    MUSTER_TRY(flush());
    return count;
  }
  Status status;
  MUSTER_TRY(ListIfThere(worker, location, options.filter, [&](const Item& item) {
    names.push_back(item.name);
    if (names.size() >= kMostAtOnce) status = flush();
    return status.has_value() && observer.GoOn();
  }));
  MUSTER_TRY(std::move(status));
  MUSTER_TRY(flush());
  return count;
}

}  // namespace muster::transfer
