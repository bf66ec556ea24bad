#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/rare_log.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// An append-only file whose lines must not be lost: what cannot be written now (a full disk, a
// quota) is kept, in order, and tried again every half second; a line that went in halfway is
// completed from where it stands. Used on the loop's thread.
class AppendFile {
 public:
  AppendFile(os::Loop& loop, os::Fd file, std::string name);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void Append(std::string_view bytes);
  // From here to the Release that belongs to it, what is appended is gathered; then it goes in as
  // one piece. May be nested.
  void Hold() { ++holds_; }
  void Release();
  // Writes what is gathered so far: what others are about to learn must not be here alone.
  void WriteNow();
  // Runs `fn` once everything is in the file: at once when it is already.
  void WhenSettled(std::function<void()> fn);
  bool settled() const { return pending_.empty(); }

 private:
  void Flush();

  os::Loop& loop_;
  os::Fd file_;
  std::string name_;  // for messages
  std::string pending_;
  RareLog rare_;
  int holds_ = 0;
  os::Loop::Id retry_ = 0;
  std::function<void()> when_settled_;
};

}  // namespace muster::launcher
