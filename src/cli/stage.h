#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/context.h"
#include "os/file.h"

namespace muster::cli {

// A private server with virtual nodes on a new folder, for one rehearsal. The destructor ends the
// server and removes the folder unless it is to be kept; jobs must have ended by then.
class Stage {
 public:
  // `nodes` in the form of `muster server --nodes`.
  static Result<std::unique_ptr<Stage>> Open(Context& context, const std::string& nodes);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Api& api() { return *api_; }
  const os::Path& folder() const { return folder_; }
  void Keep() { keep_ = true; }

 private:
  explicit Stage(os::Path folder) : folder_(std::move(folder)) {}

  const os::Path folder_;
  std::unique_ptr<Api> api_;
  int pid_ = 0;
  bool keep_ = false;
};

}  // namespace muster::cli
