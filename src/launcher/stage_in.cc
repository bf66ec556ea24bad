#include "launcher/stage_in.h"

#include <fcntl.h>

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "launcher/check_destinations.h"
#include "launcher/fetch_input.h"
#include "launcher/fetch_report.h"
#include "launcher/input_cache.h"
#include "model/staging.h"
#include "transfer/location.h"
#include "transfer/profile_files.h"

namespace muster::launcher {
namespace {

constexpr int64_t kReportPauseMs = 500;
constexpr auto kWait = std::chrono::milliseconds(50);

class StageIn {
 public:
  StageIn(const os::Path& node_dir, const Staging& staging)
      : node_dir_(node_dir),
        staging_(staging),
        cache_(InputCache::Of(staging)),
        stores_([&](const std::string& name) {
          return transfer::FindProfile(
              {.endpoint = {}, .region = {}, .style = {}, .data = staging.data_dir}, name);
        }) {}

  Status Run() {
    MUSTER_TRY(LookAhead());
    for (const InputOrder& input : staging_.inputs) {
      if (auto status = One(input); !status) {
        const Error& error = status.error();
        report_.error =
            fmt::format("cannot fetch {} from {}: {}{}{}",
                        input.name.empty() ? "the code" : "the input " + input.name,
                        Shown(input.url), error.text, error.next.empty() ? "" : "; ", error.next);
        Tell();
        return Fail(error.code, report_.error);
      }
    }
    cache_.Evict(clock_.WallMs());
    return {};
  }

 private:
  Status LookAhead() {
    auto notes = CheckDestinations(staging_, stores_);
    if (notes) {
      report_.notes = std::move(*notes);
      Tell();
      return {};
    }
    const Error& error = notes.error();
    report_.error = fmt::format("{}; {}", error.text, error.next);
    Tell();
    return Fail(error.code, report_.error);
  }

  static std::string Shown(const std::string& url) {
    const auto location = transfer::ParseLocation(url);
    return location ? transfer::Show(*location) : url;
  }

  // One of the nodes that share the folder of the attempt fetches the input. The file that it locks
  // meanwhile then tells the others the cache key.
  Status One(const InputOrder& input) {
    const os::Path mark =
        os::Path(staging_.attempt_dir) / "staged" / os::Path(input.folder).filename();
    MUSTER_TRY(os::MakeDirs(mark.parent_path()));
    MUSTER_ASSIGN(const os::Fd fd, os::Open(mark, O_RDWR | O_CREAT));
    while (true) {
      MUSTER_ASSIGN(const bool taken, os::TryLock(fd.get()));
      if (taken) break;
      Progress(fmt::format("{}: another node fetches it", input.shown()));
      std::this_thread::sleep_for(kWait);
    }
    MUSTER_ASSIGN(const std::string key, os::ReadFile(mark, 4096));
    if (IsCacheKey(key)) {
      Done({key, fmt::format("{}: already in place for another node", input.shown())});
      return {};
    }
    MUSTER_ASSIGN(FetchedInput fetched,
                  FetchInput(input, cache_, stores_, staging_.token,
                             [this](std::string text) { Progress(std::move(text)); }));
    MUSTER_TRY(os::WriteAll(fd.get(), fetched.key));
    Done(std::move(fetched));
    return {};
  }

  void Done(FetchedInput fetched) {
    LogInfo("{}", fetched.note);
    report_.progress.clear();
    report_.keys.push_back(std::move(fetched.key));
    report_.notes.push_back(std::move(fetched.note));
    Tell();
  }

  void Progress(std::string text) {
    const int64_t now_ms = clock_.SteadyMs();
    if (text == report_.progress || now_ms - told_ms_ < kReportPauseMs) return;
    report_.progress = std::move(text);
    Tell();
    told_ms_ = now_ms;
  }

  void Tell() const {
    if (const auto status = WriteFetchReport(node_dir_, report_); !status)
      LogWarning("{}", status.error().text);
  }

  const os::Path node_dir_;
  const Staging& staging_;
  const SystemClock clock_;
  const InputCache cache_;
  transfer::Stores stores_;
  FetchReport report_;
  int64_t told_ms_ = -kReportPauseMs;
};

}  // namespace

Result<Staging> ReadStaging(const os::Path& node_dir) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(node_dir / kStagingFile));
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  return StagingFromJson(document);
}

int RunStageIn(const os::Path& node_dir) {
  const auto run = [&]() -> Status {
    MUSTER_ASSIGN(const Staging staging, ReadStaging(node_dir));
    return StageIn(node_dir, staging).Run();
  };
  const auto status = run();
  if (!status) LogError("{}", status.error().text);
  return status ? 0 : 1;
}

}  // namespace muster::launcher
