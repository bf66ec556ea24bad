#include "launcher/publish_output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/text.h"
#include "launcher/existing_result.h"
#include "model/manifest.h"
#include "transfer/lister.h"
#include "transfer/remove.h"

namespace muster::launcher {
namespace {

using transfer::Location;

constexpr int kMostTries = 6;

Location FileAt(const os::Path& path, bool folder) {
  Location location;
  location.path = path;
  location.names_folder = folder;
  return location;
}

Error FirstOf(const transfer::Summary& summary) {
  const transfer::Failure& first = summary.failures.front();
  Error error = first.error;
  error.text = fmt::format("{}: {}", first.source, error.text);
  if (summary.failed > 1) error.text += fmt::format(" (and {} more files)", summary.failed - 1);
  return error;
}

class Publisher final : public transfer::Observer {
 public:
  Publisher(const OutputOrder& output, const Publication& publication, const os::Path& scratch,
            transfer::Stores& stores, const PublishProgress& progress)
      : output_(output),
        publication_(publication),
        scratch_(scratch),
        stores_(stores),
        progress_(progress) {}

  Result<std::string> Run() {
    const SystemClock clock;
    const int64_t began_ms = clock.SteadyMs();
    MUSTER_ASSIGN(to_, FolderAt(output_.to));
    MUSTER_TRY(ClaimPlace());
    MUSTER_ASSIGN(Manifest manifest, List());
    MUSTER_TRY(RemoveManifest(to_, stores_));
    if (!manifest.files.empty()) MUSTER_TRY(CopyFiles());
    for (ManifestFile& file : manifest.files) {
      MUSTER_ASSIGN(file.sha256, os::Sha256OfFile(os::Path(output_.folder) / file.name));
    }
    manifest.published_ms = clock.WallMs();
    MUSTER_TRY(PutManifest(manifest));
    return fmt::format("{}: {}, {}, published to {} in {}{}", output_.name,
                       Counted(std::ssize(manifest.files), "file"),
                       HumanSize(uint64_t(manifest.bytes())), transfer::Show(to_),
                       HumanDuration(clock.SteadyMs() - began_ms), notes_);
  }

  void Tick(const transfer::Tally& tally) override {
    const std::string of_all =
        tally.listed ? fmt::format(" of {}", HumanSize(uint64_t(tally.found_bytes))) : "";
    progress_(fmt::format("{}: publishing to {}: {} of {} files, {}{}", output_.name,
                          transfer::Show(to_), tally.ended, tally.found,
                          HumanSize(uint64_t(tally.ended_bytes)), of_all));
  }

 private:
  // The mark tells a later try that a manifest of this job is its own, and not of a job with the
  // same number on another server.
  os::Path Mark() const {
    return os::Path(publication_.record_dir).parent_path() / ("begun-" + os::Sha256(output_.name));
  }

  Status ClaimPlace() {
    if (output_.overwrite) return {};
    const bool begun = ::access(Mark().c_str(), F_OK) == 0;
    MUSTER_TRY(CheckNoOtherResult(to_, stores_, [&](const Manifest& manifest) {
      return begun && manifest.job == publication_.job && manifest.output == output_.name;
    }));
    MUSTER_TRY(os::MakeDirs(Mark().parent_path()));
    return os::WriteFileAtomic(Mark(), "", 0644, false);
  }

  Result<Manifest> List() {
    Manifest manifest{.job = publication_.job,
                      .attempt = publication_.attempt,
                      .job_name = publication_.job_name,
                      .output = output_.name,
                      .state = publication_.state,
                      .published_ms = 0,
                      .files = {}};
    const transfer::CopyOptions options;
    transfer::Session session(options, stores_, *this);
    transfer::Worker worker(session);
    MUSTER_TRY(transfer::ListIfThere(worker, FileAt(output_.folder, true), AllButManifest(),
                                     [&](const transfer::Item& item) {
                                       manifest.files.push_back({item.name, item.size, ""});
                                       return true;
                                     }));
    for (const std::string& note : session.TakeSummary().notes) notes_ += "; " + note;
    if (::access((os::Path(output_.folder) / kManifestName).c_str(), F_OK) == 0)
      notes_ +=
          fmt::format("; the job's own {} is left out: it is the manifest's name", kManifestName);
    return manifest;
  }

  Status CopyFiles() {
    transfer::CopyOptions options;
    options.recursive = true;
    options.filter = AllButManifest();
    // Files that the sync process or an earlier attempt copied are skipped.
    options.skip = to_.remote() ? transfer::Skip::kSameBytes : transfer::Skip::kNever;
    MUSTER_TRY(CopyThere(FileAt(output_.folder, true), to_, options, publication_.record_dir,
                         stores_, *this));
    return {};
  }

  Status PutManifest(const Manifest& manifest) {
    const std::string text = ToPrettyJson(ToJsonObject(manifest));
    if (!to_.remote()) {
      MUSTER_TRY(os::MakeDirs(to_.path));
      return os::WriteFileAtomic(to_.path / kManifestName, text, 0644, /*sync=*/true);
    }
    const os::Path file = scratch_ / "manifest.json";
    MUSTER_TRY(os::WriteFileAtomic(file, text, 0644, false));
    MUSTER_TRY(CopyThere(FileAt(file, false), transfer::Below(to_, kManifestName), {}, {}, stores_,
                         *this));
    return {};
  }

  const OutputOrder& output_;
  const Publication& publication_;
  const os::Path scratch_;
  transfer::Stores& stores_;
  const PublishProgress& progress_;
  Location to_;
  std::string notes_;
};

}  // namespace

Result<Location> FolderAt(const std::string& place) {
  MUSTER_ASSIGN(Location to, transfer::ParseLocation(place));
  if (to.kind == Location::Kind::kObject && !to.key.empty() && !to.key.ends_with('/'))
    to.key += '/';
  to.names_folder = true;
  return to;
}

// The last matching rule decides: excludes only the manifest at the top level.
transfer::Filter AllButManifest() {
  return {
      .rules = {{false, std::string(kManifestName)}, {true, fmt::format("*/{}", kManifestName)}}};
}

Result<transfer::Summary> CopyThere(const Location& from, const Location& to,
                                    transfer::CopyOptions options, const os::Path& records,
                                    transfer::Stores& stores, transfer::Observer& observer) {
  options.retry.most_tries = kMostTries;
  options.record_folder = records;
  MUSTER_ASSIGN(transfer::Summary summary,
                transfer::Copy({&from, 1}, to, options, stores, observer));
  if (summary.failed > 0) return std::unexpected(FirstOf(summary));
  return summary;
}

Status RemoveManifest(const Location& to, transfer::Stores& stores) {
  transfer::CopyOptions options;
  options.retry.most_tries = kMostTries;
  transfer::Observer nobody;
  transfer::Session session(options, stores, nobody);
  transfer::Worker worker(session);
  const std::string name(kManifestName);
  return transfer::RemoveBelow(worker, to, {&name, 1}, [](const std::string&) {});
}

Result<std::string> PublishOutput(const OutputOrder& output, const Publication& publication,
                                  const os::Path& scratch, transfer::Stores& stores,
                                  const PublishProgress& progress) {
  return Publisher(output, publication, scratch, stores, progress).Run();
}

Result<int> PublishLogs(const Publication& publication, transfer::Stores& stores) {
  MUSTER_ASSIGN(const Location to, FolderAt(publication.logs_to));
  transfer::Observer nobody;
  int copied = 0;
  for (const LogOrder& log : publication.logs) {
    if (::access(log.path.c_str(), F_OK) != 0) continue;
    transfer::CopyOptions options;
    options.workers = 1;
    MUSTER_TRY(CopyThere(FileAt(log.path, false), transfer::Below(to, log.name), options, {},
                         stores, nobody));
    ++copied;
  }
  return copied;
}

}  // namespace muster::launcher
