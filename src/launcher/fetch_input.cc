#include "launcher/fetch_input.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/text.h"
#include "launcher/link_tree.h"
#include "transfer/copy.h"
#include "transfer/lister.h"
#include "transfer/local_tree.h"

namespace muster::launcher {
namespace {

// Limit of restarts because the source changed or the cache entry was removed.
constexpr int kMostRounds = 5;
// A server that restarts is unavailable for a while.
constexpr int kMostTries = 10;

struct Listing {
  std::string key;
  int64_t bytes = 0;
  bool single = false;  // a single file that the URL names
};

class Fetcher final : public transfer::Observer {
 public:
  Fetcher(const InputOrder& input, const InputCache& cache, transfer::Stores& stores,
          const std::string& once, const FetchProgress& progress)
      : input_(input), cache_(cache), stores_(stores), once_(once), progress_(progress) {}

  Result<FetchedInput> Run() {
    MUSTER_ASSIGN(source_, transfer::ParseLocation(input_.url));
    for (int round = 1;; ++round) {
      const std::string stamp = Stamp();
      MUSTER_ASSIGN(const Listing listing, Find(stamp));
      auto placed = Place(listing);
      if (placed) {
        Remember(stamp, listing);
        return placed;
      }
      // kCorrupt: the source changed or was removed meanwhile.
      if (placed.error().code != Code::kCorrupt || round == kMostRounds) return placed;
    }
  }

  void Tick(const transfer::Tally& tally) override {
    const std::string of_all =
        tally.listed ? fmt::format(" of {}", HumanSize(uint64_t(tally.found_bytes))) : "";
    progress_(fmt::format("{}: fetching {}: {} of {}{} files, {}{}", input_.shown(),
                          transfer::Show(source_), tally.ended, tally.found,
                          tally.listed ? "" : " or more", HumanSize(uint64_t(tally.ended_bytes)),
                          of_all));
  }

 private:
  Result<std::string> Endpoint(const transfer::Location& at) {
    if (at.kind != transfer::Location::Kind::kObject) return std::string();
    MUSTER_ASSIGN(const auto store, stores_.For(at.profile));
    return store->profile().endpoint;
  }

  // The stamp by which the store identifies the state of the whole source; empty if it has none.
  std::string Stamp() {
    if (source_.kind != transfer::Location::Kind::kObject) return {};
    const transfer::CopyOptions options = Options();
    transfer::Session session(options, stores_, *this);
    transfer::Worker worker(session);
    const auto client = worker.StoreFor(source_.profile);
    if (!client || !(*client)->store().on_loopback()) return {};
    return (*client)->Stamp(source_.bucket, source_.key).value_or("");
  }

  std::string SourceName() {
    return Endpoint(source_).value_or("") + " " + transfer::Exact(source_);
  }

  // Uses the stamp if known, otherwise lists the source.
  Result<Listing> Find(const std::string& stamp) {
    const auto known = stamp.empty() ? std::nullopt : cache_.Recall(SourceName());
    if (known && known->stamp == stamp) return Listing{known->key, known->bytes, known->single};
    return List();
  }

  // Stores the stamp for the next fetch, if the source is unchanged since before the listing.
  void Remember(const std::string& stamp, const Listing& listing) {
    const KnownSource now{stamp, listing.key, listing.bytes, listing.single};
    if (stamp.empty() || cache_.Recall(SourceName()) == now || Stamp() != stamp) return;
    cache_.Remember(SourceName(), now);
  }

  Result<Listing> List() {
    progress_(fmt::format("{}: looking at {}", input_.shown(), transfer::Show(source_)));
    MUSTER_ASSIGN(const std::string endpoint, Endpoint(source_));
    const transfer::CopyOptions options = Options();
    transfer::Session session(options, stores_, *this);
    transfer::Worker worker(session);
    std::vector<SourceFile> files;
    Listing listing;
    skipped_.clear();
    const bool is_address = source_.kind == transfer::Location::Kind::kHttp;
    MUSTER_TRY(transfer::ListItems(worker, source_, true, {}, [&](const transfer::Item& item) {
      // A URL may redirect, to a different target each time.
      const std::string at = transfer::Exact(is_address ? source_ : item.at);
      listing.single = at == transfer::Exact(source_);
      listing.bytes += std::max<int64_t>(0, item.size);
      const bool folder_mark = item.name.ends_with('/') && item.size == 0;
      if (!item.name.empty() && !folder_mark && !transfer::CheckFileName(item.name)) {
        skipped_.push_back(transfer::Show(item.at));
      }
      const bool has_version = !item.etag.empty() || item.mtime_ms != 0;
      files.push_back(
          {item.name, item.size,
           fmt::format("{} {} {} {}", endpoint, at, item.identity, has_version ? "" : once_)});
      return true;
    }));
    listing.single = listing.single && files.size() == 1;
    listing.key = CacheKey(std::move(files));
    return listing;
  }

  transfer::CopyOptions Options() const {
    transfer::CopyOptions options;
    options.recursive = source_.kind == transfer::Location::Kind::kObject;
    options.retry.most_tries = kMostTries;
    options.record_folder = cache_.Records();
    return options;
  }

  Result<FetchedInput> Place(const Listing& listing) {
    MUSTER_ASSIGN(const os::Fd use, cache_.Use(listing.key));
    const SystemClock clock;
    const int64_t began_ms = clock.SteadyMs();
    bool fetched = false;
    if (!TakeSpare(listing)) {
      auto files = cache_.Look(listing.key);
      if (!files) {
        MUSTER_ASSIGN(fetched, Bring(listing));
        files = cache_.Look(listing.key);
        if (!files) return std::unexpected(files.error());
      }
      MUSTER_TRY(Link(listing, *files));
    }
    const EntrySize size = cache_.SizeOf(listing.key);
    MUSTER_TRY(CheckFilled(listing, size));
    const std::string how =
        fetched ? fmt::format("fetched from {} in {}", transfer::Show(source_),
                              HumanDuration(clock.SteadyMs() - began_ms))
                : fmt::format("already on this node, as {} has it", transfer::Show(source_));
    return FetchedInput{listing.key,
                        fmt::format("{}: {}, {}, {}{}", input_.shown(), Counted(size.files, "file"),
                                    HumanSize(uint64_t(size.bytes)), how, Skipped())};
  }

  // The keys that are no names of files, such as "x/..". They are not on the node.
  std::string Skipped() const {
    if (skipped_.empty()) return {};
    return fmt::format("; skipped {} whose key cannot be the name of a file, such as {}",
                       Counted(int64_t(skipped_.size()), "object"), skipped_.front());
  }

  // Ranks must never start on an empty folder whose source has files. The cache entry is removed,
  // so that the next job fetches the source again.
  Status CheckFilled(const Listing& listing, const EntrySize& size) const {
    std::error_code error;
    const bool filled = std::filesystem::is_directory(Target(), error)
                            ? !std::filesystem::is_empty(Target(), error)
                            : std::filesystem::exists(Target(), error);
    if (size.files <= 0 || (filled && !error)) return {};
    MUSTER_ASSIGN(const os::Fd lock, cache_.LockToFetch(listing.key, [] {}));
    MUSTER_TRY(cache_.Discard(listing.key));
    return Fail(Code::kInternal,
                fmt::format("the source has {}, but {} is empty on this node",
                            Counted(size.files, "file"), Target().string()),
                "submit the job again: the source is then fetched anew");
  }

  // The destination: the folder of the input, or an entry in it.
  os::Path Target() const {
    return input_.leaf.empty() ? os::Path(input_.folder) : os::Path(input_.folder) / input_.leaf;
  }

  bool IsFile(const Listing& listing) const { return listing.single && !input_.leaf.empty(); }

  // Takes the spare tree in one rename, if an earlier job returned one.
  bool TakeSpare(const Listing& listing) const {
    if (IsFile(listing) || cache_.SizeOf(listing.key).files < 0) return false;
    const SpareTree spare = cache_.Spare(listing.key);
    const auto lock = spare.Lock();
    return lock && os::MakeDirs(Target().parent_path()) && spare.Take(Target());
  }

  // Creates the cache entry, or waits for the process that creates it. Returns whether this process
  // created it.
  Result<bool> Bring(const Listing& listing) {
    MUSTER_ASSIGN(const os::Fd lock, cache_.LockToFetch(listing.key, [&] {
      progress_(fmt::format("{}: another job on this node fetches {}", input_.shown(),
                            transfer::Show(source_)));
    }));
    const auto there = cache_.Look(listing.key);
    if (there) return false;
    if (there.error().code != Code::kNotFound) MUSTER_TRY(cache_.Discard(listing.key));
    cache_.Evict(SystemClock().WallMs(), listing.bytes);
    MUSTER_TRY(Copy(listing.key));
    MUSTER_ASSIGN(const Listing now, List());
    if (now.key != listing.key) {
      MUSTER_TRY(cache_.Discard(listing.key));
      return Fail(Code::kCorrupt, "it changed again and again while it was fetched",
                  "submit the job when nobody writes there");
    }
    MUSTER_TRY(cache_.Seal(listing.key));
    return true;
  }

  Status Copy(const std::string& key) {
    transfer::Location to;
    to.path = cache_.Part(key) / "data";
    to.names_folder = true;
    MUSTER_TRY(os::MakeDirs(to.path));
    MUSTER_ASSIGN(const transfer::Summary summary,
                  transfer::Copy({&source_, 1}, to, Options(), stores_, *this));
    if (summary.failed == 0) return {};
    // A partial entry would only keep the disk full.
    if (summary.failures.front().error.code == Code::kNoSpace) MUSTER_TRY(cache_.Discard(key));
    Error error = summary.failures.front().error;
    error.text = fmt::format("{}: {}", summary.failures.front().source, error.text);
    if (summary.failed > 1) error.text += fmt::format(" (and {} more files)", summary.failed - 1);
    return std::unexpected(std::move(error));
  }

  Status Link(const Listing& listing, const std::vector<CachedFile>& files) const {
    const os::Path to = Target(), data = cache_.Data(listing.key);
    const SpareTree spare = cache_.Spare(listing.key);
    const auto lock = spare.Lock();
    if (!lock) return Fail(Code::kCorrupt, lock.error().text);  // removed meanwhile
    if (IsFile(listing) && files.size() == 1) {
      spare.Drop();
      return LinkFile(data, files.front(), to);
    }
    MUSTER_TRY(os::MakeDirs(to.parent_path()));
    if (spare.Take(to)) return {};
    return LinkTree(data, files, to);
  }

  const InputOrder& input_;
  const InputCache& cache_;
  transfer::Stores& stores_;
  const std::string& once_;
  const FetchProgress& progress_;
  transfer::Location source_;
  std::vector<std::string> skipped_;  // objects of the listing whose key no file can have
};

}  // namespace

Result<FetchedInput> FetchInput(const InputOrder& input, const InputCache& cache,
                                transfer::Stores& stores, const std::string& once,
                                const FetchProgress& progress) {
  return Fetcher(input, cache, stores, once, progress).Run();
}

}  // namespace muster::launcher
