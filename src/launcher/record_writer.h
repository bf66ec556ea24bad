#pragma once

#include <functional>
#include <vector>

#include "launcher/append_file.h"
#include "model/record.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// The record that this launcher claimed, with its lock. Adds time stamps to lines.
class RecordWriter {
 public:
  RecordWriter(os::Loop& loop, os::Fd record);

  // While an instance exists, lines are gathered; the destructor writes them in one call, because
  // each write wakes the server.
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
  // Writes all lines in one call.
  void Append(std::vector<RecordBody> bodies);
  // Writes the gathered lines before a slow step, and before another node learns of their content.
  void WriteNow() { file_.WriteNow(); }
  // Runs `fn` when all lines are in the file.
  void WhenSettled(std::function<void()> fn) { file_.WhenSettled(std::move(fn)); }

 private:
  const Clock& clock_;
  const int64_t began_ms_;  // steady time
  AppendFile file_;
};

}  // namespace muster::launcher
