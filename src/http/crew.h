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

// Several servers that accept from one socket, each with a loop and a thread. A new connection goes
// to the member with the fewest connections: the kernel would wake the same thread again and again,
// and two large uploads on one thread take nearly twice as long. Any thread.
class Crew {
 public:
  class Seat;

  // A member. It exists until no member accepts any more.
  class Member {
   public:
    // Serves a connection on the loop of the member; called on any thread.
    using Take = std::function<void(os::Fd socket, Seat seat)>;
    explicit Member(Take take) : take_(std::move(take)) {}
    void Serve(os::Fd socket, Seat seat) const { take_(std::move(socket), std::move(seat)); }

   private:
    friend class Crew;
    friend class Seat;
    const Take take_;
    std::atomic<int> connections_ = 0;
  };

  // The slot of a connection at a member, held while the connection exists.
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

  // The member receives no further connections.
  void Leave(Member& member) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    std::erase(members_, &member);
  }

  // The member with the fewest connections; `own` if it is among equals.
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
