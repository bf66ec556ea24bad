#include "os/pool.h"

#include <csignal>

#include <algorithm>
#include <utility>

namespace muster::os {

Pool::Pool(int threads) {
  // Threads inherit the signal mask: block all signals, which other threads handle.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([this] { Work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Pool::~Pool() {
  std::queue<std::function<void()>> dropped;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
  }
  wake_.NotifyAll();
  dropped = {};      // without the lock, because its destructor may run arbitrary code
  threads_.clear();  // joins the threads
}

void Pool::Run(std::function<void()> work) {
  {
    MutexLock lock(mutex_);
    if (stopping_) return;
    queue_.push(std::move(work));
  }
  wake_.NotifyOne();
}

void Pool::Work() {
  for (;;) {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.Wait(lock);
      if (stopping_) return;
      work = std::move(queue_.front());
      queue_.pop();
    }
    work();
  }
}

}  // namespace muster::os
