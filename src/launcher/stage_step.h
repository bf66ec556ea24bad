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

// What is copied from or to far before anything of the job runs: the node's inputs by a process of
// stage_in.h, or, on an order that only publishes, the job's outputs by one of stage_out.h. Run as
// a hook is. Tells the record how far it is, and holds what was fetched in the cache until the
// launcher ends. Lives on the loop.
class StageStep {
 public:
  // All outlive it.
  StageStep(os::Loop& loop, const NodeOrder& order, HookRunner& hooks, RecordWriter& record)
      : loop_(loop), order_(order), hooks_(hooks), record_(record) {}
  ~StageStep() { Cancel(); }
  StageStep(const StageStep&) = delete;
  StageStep& operator=(const StageStep&) = delete;

  bool IsNeeded() const { return !done_ && (Fetches() || Publishes()); }
  // Whether it brings the code, without which nothing else can be put in place.
  bool BringsCode() const;
  Status Start();
  // Whether the process that publishes was killed and is due again: its copies go on where they
  // were.
  bool IsDueAgain(const ExitReport& exit);
  // After the process has ended: that everything is in place, or the text of what went wrong.
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
  int64_t next_note_ms_ = 0;  // steady
  int64_t pause_ms_ = 0;
  std::string last_;
  std::vector<os::Fd> in_use_;
  bool done_ = false;
  int kills_ = 0;  // of the process that publishes
};

}  // namespace muster::launcher
