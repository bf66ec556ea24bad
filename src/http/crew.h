#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_annotations.h"
#include "http/large_files.h"
#include "os/fd.h"

namespace muster::http {

// Servers that accept from one socket, each on its loop and thread. Whoever accepts gives the
// connection to the one that has the fewest: the kernel would wake the same one again and again,
// and two large uploads on one thread take nearly twice as long. Any thread.
class Crew {
 public:
  class Seat;

  // One of them. It lives until nobody of the crew accepts any more.
  class Member {
   public:
    // Serves a connection of this crew, on its own loop; called on any thread.
    using Take = std::function<void(os::Fd socket, Seat seat)>;
    explicit Member(Take take) : take_(std::move(take)) {}
    void Serve(os::Fd socket, Seat seat) const { take_(std::move(socket), std::move(seat)); }

   private:
    friend class Crew;
    friend class Seat;
    const Take take_;
    std::atomic<int> connections_ = 0;
  };

  // A connection's place with a member, for as long as it lives.
  class Seat {
   public:
    Seat() = default;
    explicit Seat(Member& member) : member_(&member) { ++member.connections_; }
    ~Seat() {
      if (member_ != nullptr) --member_->connections_;
    }
    Seat(Seat&& other) noexcept : member_(std::exchange(other.member_, nullptr)) {}
    Seat& operator=(Seat&& other) noexcept {
      std::swap(member_, other.member_);
      return *this;
    }
    Member* member() const { return member_; }

   private:
    Member* member_ = nullptr;
  };

  void Join(Member& member) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    members_.push_back(&member);
  }

  // It gets no more.
  void Leave(Member& member) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::erase(members_, &member);
  }

  // With the one that has the fewest; `own` rather than another that has as many.
  Seat TakeSeat(Member& own) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    Member* best = &own;
    for (Member* const one : members_) {
      if (one->connections_ < best->connections_) best = one;
    }
    return Seat(*best);
  }

  LargeFiles& large_files() { return large_files_; }

 private:
  LargeFiles large_files_;
  Mutex mutex_;
  std::vector<Member*> members_ GUARDED_BY(mutex_);
};

}  // namespace muster::http
