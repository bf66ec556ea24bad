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

  // While one lives, lines are gathered and stamped; its end writes them at once: each write wakes
  // the server.
  class Gathering {
   public:
    explicit Gathering(RecordWriter& record) : file_(record.file_) { file_.Hold(); }
    ~Gathering() { file_.Release(); }
    Gathering(const Gathering&) = delete;
    Gathering& operator=(const Gathering&) = delete;

   private:
    AppendFile& file_;
  };

  void Append(RecordBody body);
  // All in one write.
  void Append(std::vector<RecordBody> bodies);
  // What was gathered so far; before anything slow, and before another node hears of it.
  void WriteNow() { file_.WriteNow(); }
  // Runs `fn` once every line is in the file.
  void WhenSettled(std::function<void()> fn) { file_.WhenSettled(std::move(fn)); }

 private:
  const Clock& clock_;
  const int64_t began_ms_;  // steady
  AppendFile file_;
};

}  // namespace muster::launcher
