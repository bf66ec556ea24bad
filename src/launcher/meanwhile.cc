#include "launcher/meanwhile.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/log.h"
#include "launcher/existing_result.h"
#include "launcher/publish_output.h"
#include "launcher/settled.h"
#include "launcher/stage_out.h"
#include "transfer/lister.h"
#include "transfer/profile_files.h"

namespace muster::launcher {
namespace {

using transfer::Location;

constexpr int kNiceness = 10;
constexpr int64_t kLogPauseMs = 5000;
constexpr int64_t kSettleMs = 1000;
// A slow copy is repeated later, so that ranks keep most of the machine.
constexpr int64_t kRestShare = 10;
constexpr int kWorkers = 4;

Status CopyHead(const os::Path& from, int64_t size, const os::Path& to) {
  MUSTER_ASSIGN(const os::Fd source, os::Open(from, O_RDONLY));
  MUSTER_ASSIGN(const os::Fd target, os::Open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600));
  for (int64_t done = 0; done < size;) {
    const ssize_t n = ::sendfile(target.get(), source.get(), nullptr, size_t(size - done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno(errno, "copy " + from.string());
    if (n == 0) return {};  // the file was truncated
    done += n;
  }
  return {};
}

// A folder or log that is copied repeatedly.
struct Task {
  std::function<Status()> run;
  int64_t pause_ms = 0;
  int64_t due_ms = 0;  // steady time
  std::string last_error;
};

class Meanwhile final : public transfer::Observer {
 public:
  Meanwhile(const os::Path& node_dir, const Publication& publication)
      : node_dir_(node_dir), publication_(publication) {}

  [[noreturn]] void Run() {
    std::vector<Task> tasks;
    for (const OutputOrder& output : publication_.outputs)
      tasks.push_back({[this, &output] { return SyncOutput(output); }, output.sync_ms,
                       clock_.SteadyMs() + output.sync_ms, ""});
    if (!publication_.logs.empty())
      tasks.push_back({[this] { return SyncLogs(); }, kLogPauseMs, clock_.SteadyMs(), ""});
    while (true) {
      Task& next = *std::ranges::min_element(tasks, {}, &Task::due_ms);
      const int64_t wait_ms = std::max<int64_t>(0, next.due_ms - clock_.SteadyMs());
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      Do(next);
    }
  }

 private:
  void Do(Task& task) const {
    const int64_t began_ms = clock_.SteadyMs();
    const auto status = task.run();
    const std::string error = status ? "" : status.error().text;
    if (error != task.last_error && !error.empty()) LogWarning("{}", error);
    task.last_error = error;
    const int64_t took_ms = clock_.SteadyMs() - began_ms;
    task.due_ms = clock_.SteadyMs() + std::max(task.pause_ms, took_ms * kRestShare);
  }

  transfer::Stores OpenStores() const {
    return transfer::Stores([this](const std::string& name) {
      return transfer::FindProfile(
          {.endpoint = {}, .region = {}, .style = {}, .data = publication_.data_dir}, name);
    });
  }

  Result<FolderLook> Look(const std::string& folder) {
    FolderLook look;
    Location location;
    location.path = folder;
    location.names_folder = true;
    const transfer::CopyOptions options;
    transfer::Stores none([](const std::string&) { return Fail(Code::kInternal, "no store"); });
    transfer::Session session(options, none, *this);
    transfer::Worker worker(session);
    MUSTER_TRY(
        transfer::ListIfThere(worker, location, AllButManifest(), [&](const transfer::Item& item) {
          look[item.name] = item.identity;
          return true;
        }));
    return look;
  }

  Status SyncOutput(const OutputOrder& output) {
    FolderLook& copied = copied_[output.name];
    MUSTER_ASSIGN(const FolderLook before, Look(output.folder));
    if (Settled(before, before, copied).empty()) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(kSettleMs));
    MUSTER_ASSIGN(FolderLook now, Look(output.folder));
    std::vector<std::string> names = Settled(before, now, copied);
    std::erase_if(names, [&](const std::string& name) {
      return IsBeingWritten(os::Path(output.folder) / name);
    });
    if (names.empty()) return {};
    MUSTER_TRY(LinkAll(output.folder, names));
    MUSTER_ASSIGN(const Location to, FolderAt(output.to));
    transfer::Stores stores = OpenStores();
    if (copied.empty()) {
      if (!output.overwrite)
        MUSTER_TRY(CheckNoOtherResult(to, stores, [](const Manifest&) { return false; }));
      MUSTER_TRY(RemoveManifest(to, stores));  // the files that it lists are about to change
    }
    MUSTER_TRY(CopyTree(to, stores));
    for (const std::string& name : names) copied[name] = now[name];
    LogInfo("{}: {} copied to {}", output.name, Counted(std::ssize(names), "file"),
            transfer::Show(to));
    return {};
  }

  os::Path Farm() const { return node_dir_ / "meanwhile"; }

  // Creates a folder of links to the selected files, for one copy.
  Status LinkAll(const os::Path& folder, const std::vector<std::string>& names) const {
    MUSTER_TRY(os::RemoveTree(Farm()));
    for (const std::string& name : names) {
      const os::Path link = Farm() / name;
      MUSTER_TRY(os::MakeDirs(link.parent_path()));
      if (::symlink((folder / name).c_str(), link.c_str()) != 0)
        return FailErrno(errno, "link " + link.string());
    }
    return {};
  }

  // A file that changed meanwhile is copied in the next round.
  Status CopyTree(const Location& to, transfer::Stores& stores) {
    Location from;
    from.path = Farm();
    from.names_folder = true;
    transfer::CopyOptions options;
    options.recursive = true;
    options.workers = kWorkers;
    auto copied = CopyThere(from, to, options, publication_.record_dir, stores, *this);
    if (!copied) return std::unexpected(std::move(copied).error());
    return {};
  }

  // A log grows during the copy, so its current content is copied aside first.
  Status SyncLogs() {
    transfer::Stores stores = OpenStores();
    Publication grown = publication_;
    std::vector<std::pair<std::string, int64_t>> sizes;
    grown.logs.clear();
    for (const LogOrder& log : publication_.logs) {
      const auto size = os::FileSize(log.path);
      if (!size || *size == 0 || *size == log_sizes_[log.name]) continue;
      const os::Path part = node_dir_ / fmt::format("meanwhile-{}.log", grown.logs.size());
      MUSTER_TRY(CopyHead(log.path, *size, part));
      grown.logs.push_back({part, log.name});
      sizes.emplace_back(log.name, *size);
    }
    if (grown.logs.empty()) return {};
    const auto copied = PublishLogs(grown, stores);
    for (const LogOrder& log : grown.logs) ::unlink(log.path.c_str());
    if (!copied) return std::unexpected(copied.error());
    for (const auto& [name, size] : sizes) log_sizes_[name] = size;
    return {};
  }

  const os::Path node_dir_;
  const Publication& publication_;
  const SystemClock clock_;
  std::map<std::string, FolderLook> copied_;  // by output
  std::map<std::string, int64_t> log_sizes_;  // copied bytes
};

}  // namespace

int RunMeanwhile(const os::Path& node_dir) {
  const auto publication = ReadPublication(node_dir / kMeanwhileFile);
  if (!publication) {
    LogError("{}", publication.error().text);
    return 1;
  }
  (void)!::nice(kNiceness);
  Meanwhile(node_dir, *publication).Run();
}

}  // namespace muster::launcher
