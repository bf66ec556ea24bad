#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/rare_log.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// An append-only file whose lines must not be lost. Lines that cannot be written now (full disk,
// quota) are kept in order and retried every half second; a partially written line is completed.
// Used on the loop's thread.
class AppendFile {
 public:
  AppendFile(os::Loop& loop, os::Fd file, std::string name);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void Append(std::string_view bytes);
  // Starts gathering lines until the matching Release, which writes them in one call. May be
  // nested.
  void Hold() { ++holds_; }
  void Release();
  // Writes the gathered lines now, before another process learns of their content.
  void WriteNow();
  // Runs `fn` when all lines are in the file; immediately if they are.
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
