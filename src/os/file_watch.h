#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/loop.h"

namespace muster::os {

// Reports growth, creation and replacement of files by inotify. One per loop, used on its thread
// only. Without inotify (limits, network file systems) it polls every 200 ms. Callers continue to
// read at their last offset.
class FileWatch {
 public:
  using Id = uint64_t;
  explicit FileWatch(Loop& loop);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // `changed` runs after each change of `path`: created, written, truncated, or replaced. The file
  // need not exist yet, but its folder must. Several changes may cause one call.
  Id Add(const Path& path, std::function<void()> changed);
  void Remove(Id id);  // may be called inside `changed`

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::os
