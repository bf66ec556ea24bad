#pragma once

#include <functional>
#include <queue>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"

namespace muster::os {

// A few threads for blocking work: hashing, copying, removing trees. The destructor finishes
// running tasks and drops queued ones.
class Pool {
 public:
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void Run(std::function<void()> work) EXCLUDES(mutex_);  // any thread

 private:
  void Work();

  Mutex mutex_;
  CondVar wake_;
  std::queue<std::function<void()>> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // constant after construction
};

}  // namespace muster::os
