#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/loop.h"

namespace muster::os {

// Tells when files grow or appear, by inotify; one per loop, used on its thread only. Where the
// kernel gives no inotify (limits, network file systems) it looks every 200 ms instead, so callers
// only ever need to read on from where they were.
class FileWatch {
 public:
  using Id = uint64_t;
  explicit FileWatch(Loop& loop);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // `changed` runs after each change of `path`: created, written, truncated, or replaced. The file
  // may be missing yet, its folder may not. Changes may be merged; one call can stand for many.
  Id Add(const Path& path, std::function<void()> changed);
  void Remove(Id id);  // safe inside `changed`

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::os
