#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launcher/hooks.h"
#include "launcher/record_writer.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// Runs the copies before and after the ranks: the inputs of the node by the process of stage_in.h,
// or, for an order that only publishes, the outputs by the process of stage_out.h. Writes progress
// to the record, and keeps the used cache entries until the launcher ends. Lives on the loop.
class StageStep {
 public:
  // All arguments outlive this object.
  StageStep(os::Loop& loop, const NodeOrder& order, HookRunner& hooks, RecordWriter& record)
      : loop_(loop), order_(order), hooks_(hooks), record_(record) {}
  ~StageStep() { Cancel(); }
  StageStep(const StageStep&) = delete;
  StageStep& operator=(const StageStep&) = delete;

  bool IsNeeded() const { return !done_ && (Fetches() || Publishes()); }
  // Whether the step fetches the code, which other staging depends on.
  bool BringsCode() const;
  Status Start();
  // Whether the process that publishes was killed and is due again: its copies go on where they
  // were.
  bool IsDueAgain(const ExitReport& exit);
  // Called after the process ended: success, or the text of the failure.
  Status Finish(const ExitReport& exit);
  void Cancel();

 private:
  bool Fetches() const;    // the order has a staging.json
  bool Publishes() const;  // the order has a publication.json
  const OrderFile* Find(std::string_view name) const;
  std::string EndOf(const ExitReport& exit) const;
  Status KeepInUse(const std::vector<std::string>& keys);
  void LookSoon();
  void Look();

  os::Loop& loop_;
  const NodeOrder& order_;
  HookRunner& hooks_;
  RecordWriter& record_;
  os::Loop::Id timer_ = 0;
  int64_t next_note_ms_ = 0;  // steady time
  int64_t pause_ms_ = 0;
  std::string last_;
  std::vector<os::Fd> in_use_;
  bool done_ = false;
  int kills_ = 0;  // of the process that publishes
};

}  // namespace muster::launcher
