#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "launcher/hooks.h"
#include "launcher/record_writer.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// The node's inputs on their way: a process of stage_in.h, run as a hook is. Tells the record how
// far it is, and holds what was fetched in the cache until the launcher ends. Lives on the loop.
class InputFetch {
 public:
  // All outlive it.
  InputFetch(os::Loop& loop, const NodeOrder& order, HookRunner& hooks, RecordWriter& record)
      : loop_(loop), order_(order), hooks_(hooks), record_(record) {}
  ~InputFetch() { Cancel(); }
  InputFetch(const InputFetch&) = delete;
  InputFetch& operator=(const InputFetch&) = delete;

  bool IsNeeded() const;  // whether the order has a staging.json
  Status Start();
  // After the process has ended: that everything is in place, or the text of what went wrong.
  Status Finish(const ExitReport& exit);
  void Cancel();

 private:
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
};

}  // namespace muster::launcher
