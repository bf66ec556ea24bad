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

// The attempt's control file, by which the server and the launchers of all nodes tell each other to
// stop. Read on from where it was; a line that fails its check is skipped and logged.
class Control {
 public:
  using Told = std::function<void(const ControlLine&)>;
  // `told` runs for every line, those this launcher wrote included.
  Control(os::Loop& loop, const os::Path& attempt_dir, Told told);
  ~Control();

  // Takes what stands there now.
  void Read();
  // Whether a whole line stands there that was not taken yet; takes nothing.
  bool HasNews() const;
  // Tells all nodes. A rank's failure is left unsaid when another stands in the file: the first one
  // is the cause. Kept and tried again when the disk is full.
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
