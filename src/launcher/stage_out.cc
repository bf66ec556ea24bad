#include "launcher/stage_out.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/text.h"
#include "launcher/fetch_report.h"
#include "launcher/publish_output.h"
#include "transfer/profile_files.h"

namespace muster::launcher {
namespace {

constexpr int64_t kReportPauseMs = 500;
constexpr auto kWait = std::chrono::milliseconds(100);
// Rounds of a copy, each of which retries every request several times.
constexpr int kMostRounds = 3;

bool MayPass(Code code) { return code == Code::kUnavailable || code == Code::kTimeout; }

class StageOut {
 public:
  StageOut(const os::Path& node_dir, const Publication& publication)
      : node_dir_(node_dir), publication_(publication) {}

  Status Run() {
    // Logs first: they are useful also if the outputs cannot be published.
    if (!publication_.logs.empty()) Logs();
    for (const OutputOrder& output : publication_.outputs) {
      const auto note = Persist([&](transfer::Stores& stores) {
        return PublishOutput(output, publication_, node_dir_, stores,
                             [this](std::string text) { Progress(std::move(text)); });
      });
      if (!note) return Failed(output, note.error());
      Done(*note);
    }
    return {};
  }

 private:
  void Logs() {
    const auto copied =
        Persist([&](transfer::Stores& stores) { return PublishLogs(publication_, stores); });
    if (copied && *copied == 0) return;  // no rank ran
    if (copied)
      return Done(fmt::format("logs: {} in {}", Counted(*copied, "file"), publication_.logs_to));
    // The job succeeded, and its logs are also on the node.
    const Error& error = copied.error();
    Done(fmt::format("logs could not be copied to {}: {}{}{}; they are in {}", publication_.logs_to,
                     error.text, error.next.empty() ? "" : "; ", error.next,
                     os::Path(publication_.logs.front().path).parent_path().string()));
  }

  Status Failed(const OutputOrder& output, const Error& error) {
    report_.error = fmt::format(
        "cannot publish the output {} to {}: {}{}{}. It stays in {}; when the cause is gone: "
        "muster cp -r {} {}",
        output.name, output.to, error.text, error.next.empty() ? "" : "; ", error.next,
        output.folder, ShellQuote(output.folder), ShellQuote(output.to));
    Tell();
    return Fail(error.code, report_.error);
  }

  // The store may be the server's own, which is unavailable while no server runs: wait for it.
  // Every round reads the address and the credentials of the store again.
  template <typename Work>
  auto Persist(const Work& work) const -> decltype(work(std::declval<transfer::Stores&>())) {
    for (int round = 1;; ++round) {
      transfer::Stores stores([&](const std::string& name) {
        return transfer::FindProfile(
            {.endpoint = {}, .region = {}, .style = {}, .data = publication_.data_dir}, name);
      });
      auto outcome = work(stores);
      if (outcome) return outcome;
      if (AwaitServer()) {
        round = 0;
      } else if (!MayPass(outcome.error().code) || round == kMostRounds) {
        return outcome;
      }
    }
  }

  // Returns whether there was no server for a while.
  bool AwaitServer() const {
    const os::Path data = publication_.data_dir;
    const auto serves = [&] {
      std::error_code ignored;
      return os::IsLocked(data / "lock") &&
             std::filesystem::exists(data / "endpoint.json", ignored);
    };
    if (serves()) return false;
    while (!serves()) std::this_thread::sleep_for(kWait);
    return true;
  }

  void Done(std::string note) {
    LogInfo("{}", note);
    report_.progress.clear();
    report_.notes.push_back(std::move(note));
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
  const Publication& publication_;
  const SystemClock clock_;
  FetchReport report_;
  int64_t told_ms_ = -kReportPauseMs;
};

}  // namespace

Result<Publication> ReadPublication(const os::Path& file) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(file));
  MUSTER_ASSIGN(const json::value document, ParseJson(text));
  return PublicationFromJson(document);
}

int RunStageOut(const os::Path& node_dir) {
  const auto run = [&]() -> Status {
    MUSTER_ASSIGN(const Publication publication, ReadPublication(node_dir / kPublicationFile));
    return StageOut(node_dir, publication).Run();
  };
  const auto status = run();
  if (!status) LogError("{}", status.error().text);
  return status ? 0 : 1;
}

}  // namespace muster::launcher
