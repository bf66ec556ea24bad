#include "transfer/copy.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "transfer/engine.h"
#include "transfer/existing.h"
#include "transfer/give_name.h"
#include "transfer/lister.h"
#include "transfer/remove.h"

namespace muster::transfer {
namespace {

constexpr int64_t kTickMs = 200;

bool IsFolder(const Location& location) {
  struct stat info = {};
  return location.kind == Location::Kind::kFile && ::stat(location.path.c_str(), &info) == 0 &&
         S_ISDIR(info.st_mode);
}

std::string WithSlash(std::string text) {
  if (!text.empty() && !text.ends_with('/')) text += '/';
  return text;
}

// Whether the item is the source itself rather than an entry below it.
bool IsSource(const Item& item, const Location& source) {
  switch (source.kind) {
    case Location::Kind::kFile:
      return item.at.path == source.path;
    case Location::Kind::kObject:
      return item.at.key == source.key;
    case Location::Kind::kHttp:
      return true;
  }
  return false;
}

// Copying a folder into itself would not terminate.
Status CheckApart(const Location& source, const Location& destination) {
  bool inside = false;
  if (source.kind == Location::Kind::kFile && destination.kind == Location::Kind::kFile) {
    std::error_code error;
    const auto from = std::filesystem::weakly_canonical(source.path, error) / "";
    const auto to = std::filesystem::weakly_canonical(destination.path, error) / "";
    inside = WithSlash(to.string()).starts_with(WithSlash(from.string()));
  } else if (source.kind == Location::Kind::kObject &&
             destination.kind == Location::Kind::kObject) {
    inside = source.profile == destination.profile && source.bucket == destination.bucket &&
             WithSlash(destination.key).starts_with(WithSlash(source.key));
  }
  if (!inside) return {};
  return Fail(Code::kInvalid,
              fmt::format("{} lies inside {}, which is to be copied there", Show(destination),
                          Show(source)),
              "choose a destination outside of it");
}

// One call of Copy: a separate thread lists the source, the engine copies, the caller waits.
class CopyRun {
 public:
  CopyRun(std::span<const Location> sources, const Location& destination,
          const CopyOptions& options, Stores& stores, Observer& observer)
      : sources_(sources),
        destination_(destination),
        options_(options),
        observer_(observer),
        session_(options, stores, observer),
        worker_(session_) {}

  Result<Summary> Run();

 private:
  Status Prepare();
  Status CheckEnds();
  Status OpenRecord();
  void MeetStore(const Location& location);
  bool IsHere(const Location& location);
  int Hands();
  Status ListAll(Engine& engine);
  bool SkipsName(const Item& item, const std::string& name);
  bool Take(Engine& engine, const Item& item, const std::string& name);
  Result<Target> TargetFor(const std::string& name);
  bool WasDoneBefore(const Item& item, const Target& target, const std::string& name);
  bool IsUnknown(const std::string& name) const;
  Status DeleteExtra(Summary& summary);

  const std::span<const Location> sources_;
  const Location& destination_;
  const CopyOptions& options_;
  Observer& observer_;
  Session session_;
  Worker worker_;        // used by the listing
  Location exact_;       // the destination; a file destination as an absolute path
  bool into_ = false;    // the destination is a folder that receives the sources
  bool looked_ = false;  // `existing_` is filled
  ExistingNames existing_;
  std::unique_ptr<LocalTree> tree_;  // for a file destination
  int64_t done_before_ = 0;
  // Names of the source whose content was skipped. Written by the listing, then read by the
  // deletion.
  std::set<std::string> passed_over_;
};

Status CopyRun::CheckEnds() {
  if (sources_.empty()) return Fail(Code::kInvalid, "there is nothing to copy");
  if (destination_.kind == Location::Kind::kHttp && (sources_.size() > 1 || options_.recursive)) {
    return Fail(Code::kInvalid, "an http(s) address takes one file",
                "copy several to a folder or a bucket");
  }
  for (const Location& source : sources_) {
    if (options_.recursive) MUSTER_TRY(CheckApart(source, destination_));
  }
  if (destination_.kind == Location::Kind::kObject) {
    MUSTER_TRY(session_.stores.For(destination_.profile));
  }
  return {};
}

// Finds out once whether the store is Muster's own on this machine. A failure only disables the
// shortcut.
void CopyRun::MeetStore(const Location& location) {
  if (location.kind != Location::Kind::kObject || options_.dry_run || !options_.shortcut) return;
  const auto client = worker_.StoreFor(location.profile);
  if (!client || !(*client)->store().on_loopback()) return;
  const auto told = (*client)->Near();
  if (told) (*client)->store().SetNear(NearStore::Open(*told));
}

bool CopyRun::IsHere(const Location& location) {
  if (location.kind == Location::Kind::kFile) return true;
  const auto client = location.kind == Location::Kind::kObject ? worker_.StoreFor(location.profile)
                                                               : Result<S3Client*>(nullptr);
  return client && *client != nullptr && (*client)->store().near() != nullptr;
}

// Many workers if they wait for responses; few if all data is local, where they would only contend.
int CopyRun::Hands() {
  const bool here = std::ranges::all_of(sources_, [&](const auto& one) { return IsHere(one); });
  if (!here || !IsHere(destination_)) return options_.workers;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::min(options_.workers, 2 * std::max(1, cores));
}

Status CopyRun::OpenRecord() {
  if (options_.record_folder.empty() || options_.dry_run) return {};
  std::string identity;
  for (const Location& source : sources_) identity += Exact(source) + '\0';
  identity += Exact(destination_) + '\0';
  identity += options_.recursive ? 'r' : '1';
  auto record = Record::Open(options_.record_folder, identity);
  if (record) {
    session_.record = std::move(*record);
  } else if (record.error().code == Code::kConflict) {
    return std::unexpected(std::move(record).error());
  } else {
    session_.Note(fmt::format("this copy cannot go on after a kill: {}", record.error().text));
  }
  return {};
}

Status CopyRun::Prepare() {
  MUSTER_TRY(CheckEnds());
  for (const Location& source : sources_) MeetStore(source);
  MeetStore(destination_);
  exact_ = destination_;
  if (exact_.kind == Location::Kind::kFile) exact_.path = Exact(destination_);
  into_ = sources_.size() > 1 || destination_.names_folder || IsFolder(destination_);
  MUSTER_TRY(OpenRecord());
  const bool goes_on = session_.record && session_.record->HasDone();
  looked_ = options_.skip != Skip::kNever || options_.delete_extra || goes_on;
  if (looked_) {
    MUSTER_ASSIGN(existing_, ListExisting(worker_, destination_, options_.filter));
  }
  return {};
}

Result<Target> CopyRun::TargetFor(const std::string& name) {
  Target target;
  target.at = name.empty() ? destination_ : Below(destination_, name);
  target.key = Exact(name.empty() ? exact_ : Below(exact_, name));
  if (target.at.kind != Location::Kind::kFile) return target;
  // A path that the user names may contain symbolic links; names from a listing may not.
  if (name.empty() || !options_.recursive) {
    if (!name.empty()) MUSTER_TRY(CheckFileName(name));
    MUSTER_ASSIGN(const os::Path path, FollowLinks(target.at.path));
    if (options_.dry_run) return target;
    LocalTree folder(path.has_parent_path() ? path.parent_path() : os::Path("."));
    MUSTER_ASSIGN(target.place, folder.PlaceFor(path.filename().string()));
    return target;
  }
  if (options_.dry_run) return target;
  if (!tree_) tree_ = std::make_unique<LocalTree>(destination_.path);
  MUSTER_ASSIGN(target.place, tree_->PlaceFor(name));
  return target;
}

bool CopyRun::WasDoneBefore(const Item& item, const Target& target, const std::string& name) {
  if (!session_.record || !session_.record->WasDone(target.key, item.identity)) return false;
  const auto it = existing_.find(name);
  return it != existing_.end() && it->second.size == item.size;
}

// Whether no file can have the name, as with the key "x/..". One such key must not fail the copy of
// all the others.
bool CopyRun::SkipsName(const Item& item, const std::string& name) {
  if (!options_.recursive || name.empty() || destination_.kind != Location::Kind::kFile)
    return false;
  const Status valid = CheckFileName(name);
  if (valid) return false;
  session_.Note(fmt::format("skipped {}: {}", Show(item.at), valid.error().text));
  session_.Did(Deed::Kind::kSkipped, Show(item.at), "", item.size);
  return true;
}

// Returns false to end the listing.
bool CopyRun::Take(Engine& engine, const Item& item, const std::string& name) {
  session_.Found(item.size);
  const auto it = existing_.find(name);
  if (it != existing_.end()) it->second.in_source = true;
  const auto shown = [&] { return Show(name.empty() ? destination_ : Below(destination_, name)); };
  const bool folder_mark =
      name.ends_with('/') && item.size == 0 && destination_.kind == Location::Kind::kFile;
  if (folder_mark) {
    Status made;
    if (!options_.dry_run) {
      if (!tree_) tree_ = std::make_unique<LocalTree>(destination_.path);
      made = tree_->MakeFolder(name);
    }
    if (made) {
      session_.Did(Deed::Kind::kSkipped, Show(item.at), shown(), 0);
    } else {
      session_.Failed(Show(item.at), shown(), std::move(made).error(), 0);
    }
    return true;
  }
  if (SkipsName(item, name)) return true;
  auto target = TargetFor(name);
  if (!target) {
    session_.Failed(Show(item.at), shown(), std::move(target).error(), item.size);
    return true;
  }
  const bool done = WasDoneBefore(item, *target, name);
  done_before_ += done ? 1 : 0;
  if (done || (it != existing_.end() &&
               IsUnchanged(worker_, item, target->at, it->second, options_.skip))) {
    session_.Did(Deed::Kind::kSkipped, Show(item.at), shown(), item.size);
    return true;
  }
  if (options_.dry_run) {
    session_.Did(Deed::Kind::kWouldCopy, Show(item.at), shown(), item.size);
    return !session_.stopped();
  }
  return engine.Add(item, std::move(*target));
}

Status CopyRun::ListAll(Engine& engine) {
  for (const Location& source : sources_) {
    // With several sources, each folder keeps its name; the content of a single folder is copied
    // without it.
    const std::string own = LastName(source).empty() ? source.bucket : LastName(source);
    const std::string above = sources_.size() > 1 ? WithSlash(own) : "";
    MUSTER_TRY(ListItems(
        worker_, source, options_.recursive, options_.filter,
        [&](const Item& item) {
          const bool single = IsSource(item, source);
          if (single && into_ && item.name.empty()) {
            session_.Failed(Show(item.at), Show(destination_),
                            {Code::kInvalid, "its name cannot be one of a file here",
                             "name the file: muster cp SOURCE FILE", 0},
                            item.size);
            return true;
          }
          if (!single) return Take(engine, item, above + item.name);
          return Take(engine, item, into_ ? item.name : "");
        },
        [&](const std::string& name) { passed_over_.insert(above + name); }));
  }
  return {};
}

// Whether the source may contain the name although the listing did not return it: at or below a
// skipped name.
bool CopyRun::IsUnknown(const std::string& name) const {
  if (passed_over_.contains(name)) return true;
  for (size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    if (passed_over_.contains(name.substr(0, slash))) return true;
  }
  return false;
}

Status CopyRun::DeleteExtra(Summary& summary) {
  std::vector<std::string> extra;
  int64_t spared = 0;
  for (const auto& [name, existing] : existing_) {
    if (existing.in_source) continue;
    if (IsUnknown(name)) {
      ++spared;
    } else {
      extra.push_back(name);
    }
  }
  if (spared > 0) {
    summary.notes.push_back(fmt::format("not deleted in {}: {} at or below what was passed over",
                                        Show(destination_), spared));
  }
  std::ranges::sort(extra);
  if (extra.empty()) return {};
  if (extra.size() == existing_.size() && !options_.delete_all_too) {
    return Fail(Code::kConflict,
                fmt::format("nothing in {} has a name of the source: all {} of it would be deleted",
                            Show(destination_), extra.size()),
                "if that is meant, say so with --force");
  }
  const auto gone = [&](const std::string& name) {
    session_.Did(options_.dry_run ? Deed::Kind::kWouldDelete : Deed::Kind::kDeleted, "",
                 Show(Below(destination_, name)), 0);
  };
  if (!options_.dry_run) return RemoveBelow(worker_, destination_, extra, gone);
  std::ranges::for_each(extra, gone);
  return {};
}

Result<Summary> CopyRun::Run() {
  MUSTER_TRY(Prepare());
  Status listed;
  {
    Engine engine(session_, Hands());
    std::jthread lister([&] {
      listed = ListAll(engine);
      session_.Listed();
      engine.Close();
    });
    while (!engine.Wait(kTickMs)) {
      observer_.Tick(session_.tally());
      if (!session_.stopped() && !observer_.GoOn()) session_.Stop();
    }
  }
  observer_.Tick(session_.tally());
  Status deleted;
  Summary summary = session_.TakeSummary();
  summary.done_before = done_before_;
  const bool through = listed && summary.failed == 0 && !summary.interrupted;
  if (through && session_.record) session_.record->Remove();
  MUSTER_TRY(std::move(listed));
  if (options_.delete_extra && through) {
    MUSTER_TRY(DeleteExtra(summary));
    summary.deleted = session_.TakeSummary().deleted;
  }
  return summary;
}

}  // namespace

Result<Summary> Copy(std::span<const Location> sources, const Location& destination,
                     const CopyOptions& options, Stores& stores, Observer& observer) {
  return CopyRun(sources, destination, options, stores, observer).Run();
}

}  // namespace muster::transfer
