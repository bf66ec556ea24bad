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

// "41/1000 objects  1.2 GiB of 3.4 GiB  210 MiB/s  12s left". Pure. `rate` in bytes per second; 0
// if unknown.
std::string ProgressText(const transfer::Tally& tally, double rate);
// "copied 12 objects, 1.2 GiB in 3.4s (360 MiB/s), checked by crc", with more lines for other
// results.
std::string SummaryText(const transfer::Summary& summary, bool dry_run);
// One or two lines about failures; empty if there are none.
std::string FailureText(const transfer::Summary& summary);
json::object SummaryJson(const transfer::Summary& summary);

// Shows the progress of a copy: one updated line on a terminal, or one line per object on request.
// Ctrl-C stops the copy so that it can be resumed; a second one stops it immediately.
class CopyScreen final : public transfer::Observer {
 public:
  CopyScreen(Context& context, const Args& args);

  void Tick(const transfer::Tally& tally) override;
  void Did(const transfer::Deed& deed) override;
  bool HearsOfEach() const override { return (verbose_ || dry_run_) && !json_; }
  bool GoOn() override;

  // Prints the result and returns the exit code.
  int Finish(const transfer::Summary& summary);

 private:
  void ClearLine() REQUIRES(mutex_);
  double Rate(int64_t moved);

  Context& context_;
  const bool json_, verbose_, quiet_, dry_run_;
  Interrupts interrupts_;
  Mutex mutex_;  // workers and the thread of the copy share the terminal
  bool line_shown_ GUARDED_BY(mutex_) = false;
  bool stopping_ = false;
  std::deque<std::pair<int64_t, int64_t>> samples_;  // steady time and bytes transferred by then
};

}  // namespace muster::cli
