#include "cli/raw_log.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/job_list.h"
#include "cli/job_view.h"
#include "cli/terminal_text.h"

namespace muster::cli {
namespace {

constexpr int64_t kIdleMs = 200;

class Copier {
 public:
  Copier(Api& api, Screen& screen, Interrupts& interrupts, RawLogRequest request)
      : api_(api), screen_(screen), interrupts_(interrupts), request_(request) {}

  Status Run() {
    MUSTER_TRY(CopyWhatIsThere());
    while (request_.follow && !done_) {
      auto target = fmt::format("{}&offset={}&follow=1", Target(), offset_);
      MUSTER_TRY(ThroughAbsence([&] { return Copy(target); }));
      if (!done_) MUSTER_TRY(NextAttempt());
    }
    screen_.Out(safe_.Finish());
    return {};
  }

 private:
  std::string Target() const {
    const std::string log = request_.hooks_of_node
                                ? fmt::format("nodes/{}/hooks", *request_.hooks_of_node)
                                : fmt::format("ranks/{}/log", request_.rank);
    return fmt::format("/jobs/{}/{}?attempt={}", request_.job, log, request_.attempt);
  }

  // The first response contains the start of the tail; afterwards this client counts the offset.
  Status CopyWhatIsThere() {
    std::string target = Target();
    if (request_.tail) target += fmt::format("&tail={}", *request_.tail);
    auto response = Copy(target);
    MUSTER_TRY(response);
    if (const auto began = ParseInt(http::FindHeader(response->headers, "X-Muster-Offset")))
      offset_ += *began;
    return {};
  }

  Result<http::Response> Copy(const std::string& target) {
    const auto take = [&](std::string_view bytes) {
      offset_ += int64_t(bytes.size());
      const bool shown = request_.safe ? screen_.Out(safe_.Take(bytes)) : screen_.Out(bytes);
      if (!shown || interrupts_.Pressed()) done_ = true;
      return !done_;
    };
    const auto idle = [&] {
      if (interrupts_.Pressed() || screen_.OutIsClosed()) done_ = true;
      return !done_;
    };
    return api_.Read(target, {}, take, kIdleMs, idle);
  }

  template <typename Work>
  Status ThroughAbsence(Work work) {
    const auto result = work();
    if (result) {
      said_ = false;
      return {};
    }
    if (!ServerIsAway(result.error())) return std::unexpected(result.error());
    // A rank may be silent for long, and raw bytes have no keep-alive: repeat the request.
    if (result.error().code == Code::kTimeout) return {};
    if (!said_) screen_.Err("muster: the server went away; waiting for it to come back\n");
    said_ = true;
    while (!done_) {
      if (interrupts_.Sleep(request_.retry_ms)) done_ = true;
      if (api_.Reconnect()) break;
    }
    return {};
  }

  // After the bytes of an attempt: the end if the job has ended, else the next attempt if there is
  // one, else more of this one.
  Status NextAttempt() {
    auto answer = GetJob(api_, request_.job);
    if (!answer && ServerIsAway(answer.error())) return {};
    MUSTER_TRY(answer);
    const JobView job = ReadJob(*answer);
    const bool another = !request_.one_attempt && int(job.attempts.size()) > request_.attempt;
    if (another) {
      ++request_.attempt;
      offset_ = 0;
      screen_.Err(fmt::format("muster: attempt {} begins\n", request_.attempt));
    } else if (job.IsOver() || (request_.one_attempt && RankIsOver(job))) {
      // Bytes that were written between the last read and the end.
      MUSTER_TRY(Copy(fmt::format("{}&offset={}", Target(), offset_)));
      done_ = true;
    } else if (interrupts_.Sleep(request_.retry_ms)) {
      done_ = true;
    }
    return {};
  }

  bool RankIsOver(const JobView& job) const {
    for (const Attempt& attempt : job.attempts)
      if (attempt.number == request_.attempt) return attempt.ended_ms > 0;
    return false;
  }

  Api& api_;
  Screen& screen_;
  Interrupts& interrupts_;
  RawLogRequest request_;
  TerminalText safe_;
  int64_t offset_ = 0;
  bool done_ = false;
  bool said_ = false;
};

}  // namespace

Status CopyRawLog(Api& api, Screen& screen, Interrupts& interrupts, RawLogRequest request) {
  return Copier(api, screen, interrupts, request).Run();
}

}  // namespace muster::cli
