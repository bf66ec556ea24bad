#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "launcher/append_file.h"
#include "model/record.h"
#include "os/file.h"
#include "os/file_watch.h"
#include "os/loop.h"

namespace muster::launcher {

// The control file of the attempt, by which the server and the launchers of all nodes request a
// stop. Read continuously; a line with a wrong checksum is skipped and logged.
class Control {
 public:
  using Told = std::function<void(const ControlLine&)>;
  // `told` runs for every line, including lines that this launcher wrote.
  Control(os::Loop& loop, const os::Path& attempt_dir, Told told);
  ~Control();

  // Reads the lines that exist now.
  void Read();
  // Whether a complete unread line exists; does not read it.
  bool HasNews() const;
  // Appends a line for all nodes. A rank failure is not written if the file contains one: the first
  // failure is the cause. Retried if the disk is full.
  void Tell(const ControlLine& line);

 private:
  void Take(std::string_view text);
  void LookAgain();

  os::Loop& loop_;
  const os::Path path_;
  Told told_;
  int looks_ = 0;
  os::Loop::Id timer_ = 0;
  std::optional<os::FileWatch> watch_;
  int64_t offset_ = 0;
  bool failure_known_ = false;
  std::unique_ptr<AppendFile> out_;  // opened for the first line
};

}  // namespace muster::launcher
