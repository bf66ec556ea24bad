#pragma once

#include <deque>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/thread_annotations.h"
#include "cli/context.h"
#include "cli/flags.h"
#include "cli/interrupts.h"
#include "transfer/copy.h"

namespace muster::cli {

// "41/1000 objects  1.2 GiB of 3.4 GiB  210 MiB/s  12s left"; pure. `rate` in bytes a second, 0:
// not known yet.
std::string ProgressText(const transfer::Tally& tally, double rate);
// "copied 12 objects, 1.2 GiB in 3.4s (360 MiB/s), checked by crc"; further lines for what else
// happened.
std::string SummaryText(const transfer::Summary& summary, bool dry_run);
// What did not go well, in one line or two; empty: nothing failed.
std::string FailureText(const transfer::Summary& summary);
json::object SummaryJson(const transfer::Summary& summary);

// Shows a copy on the screen while it runs: one line that is written over on a terminal, a line for
// each object where asked. Ctrl-C ends it so that it can go on later; a second one at once.
class CopyScreen final : public transfer::Observer {
 public:
  CopyScreen(Context& context, const Args& args);

  void Tick(const transfer::Tally& tally) override;
  void Did(const transfer::Deed& deed) override;
  bool HearsOfEach() const override { return (verbose_ || dry_run_) && !json_; }
  bool GoOn() override;

  // Prints what was done; the exit code.
  int Finish(const transfer::Summary& summary);

 private:
  void ClearLine() REQUIRES(mutex_);
  double Rate(int64_t moved);

  Context& context_;
  const bool json_, verbose_, quiet_, dry_run_;
  Interrupts interrupts_;
  Mutex mutex_;  // workers and the thread of the copy write to one terminal
  bool line_shown_ GUARDED_BY(mutex_) = false;
  bool stopping_ = false;
  std::deque<std::pair<int64_t, int64_t>> samples_;  // steady time, bytes moved until then
};

}  // namespace muster::cli
