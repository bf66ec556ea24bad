#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

// Macros for clang's thread-safety analysis; the build treats its findings as errors.
#define GUARDED_BY(x) __attribute__((guarded_by(x)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))

namespace muster {

// std::mutex with annotations for the analysis.
class __attribute__((capability("mutex"))) Mutex {
 public:
  void Lock() __attribute__((acquire_capability())) { mutex_.lock(); }
  void Unlock() __attribute__((release_capability())) { mutex_.unlock(); }

 private:
  friend class MutexLock;
  friend class CondVar;
  std::mutex mutex_;
};

class __attribute__((scoped_lockable)) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) __attribute__((acquire_capability(mutex)))
      : lock_(mutex.mutex_) {}
  ~MutexLock() __attribute__((release_capability())) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  friend class CondVar;
  std::unique_lock<std::mutex> lock_;
};

class CondVar {
 public:
  void Wait(MutexLock& lock) { variable_.wait(lock.lock_); }
  // Returns after `ms` at the latest.
  void WaitFor(MutexLock& lock, int64_t ms) {
    variable_.wait_for(lock.lock_, std::chrono::milliseconds(ms));
  }
  void NotifyOne() { variable_.notify_one(); }
  void NotifyAll() { variable_.notify_all(); }

 private:
  std::condition_variable variable_;
};

}  // namespace muster
