#pragma once

#include <functional>
#include <vector>

#include "launcher/append_file.h"
#include "model/record.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// The record that this launcher claimed; holds its lock. Lines are stamped here.
class RecordWriter {
 public:
  RecordWriter(os::Loop& loop, os::Fd record);

  void Append(RecordBody body);
  // All in one write.
  void Append(std::vector<RecordBody> bodies);
  // Runs `fn` once every line is in the file.
  void WhenSettled(std::function<void()> fn) { file_.WhenSettled(std::move(fn)); }

 private:
  const Clock& clock_;
  const int64_t began_ms_;  // steady
  AppendFile file_;
};

}  // namespace muster::launcher
