#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "transfer/object_copy.h"

namespace muster::transfer {

// Executes copies of objects on the workers of a session. Parts of started objects have precedence,
// so that few objects are open at once. Owned by the producer; call Finish before destruction.
class Engine {
 public:
  Engine(Session& session, int hands);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Blocks while the queue is full. Returns false if the copy is to stop.
  bool Add(Item item, Target target) EXCLUDES(mutex_);
  // Declares that no object will be added.
  void Close() EXCLUDES(mutex_);
  // Waits at most `ms` for all added objects. Returns true when all are finished.
  bool Wait(int64_t ms) EXCLUDES(mutex_);

 private:
  struct Open;  // an object with parts in progress
  struct Job {
    std::shared_ptr<Open> open;  // shared by the workers that copy its parts
    int part = 0;                // 0: the whole object, starting with Begin
  };

  void Run();
  std::optional<Job> Take() EXCLUDES(mutex_);
  // Takes more queued objects that one request can finish together with `first`.
  std::vector<std::shared_ptr<Open>> TakeMore(const Open& first) EXCLUDES(mutex_);
  void MakeRoom() REQUIRES(mutex_);
  void Ended() EXCLUDES(mutex_);  // an object finished, successful or not
  void Begin(Worker& worker, const std::shared_ptr<Open>& open);
  Outcome<void> MoveWhole(Worker& worker, Open& open);
  bool Prepare(Worker& worker, const std::shared_ptr<Open>& open);
  void BeginTogether(Worker& worker, const std::shared_ptr<Open>& first, const std::string& group);
  void MovePart(Worker& worker, const std::shared_ptr<Open>& open, int number);
  void FinishObject(Worker& worker, const std::shared_ptr<Open>& open);
  void Succeed(const std::shared_ptr<Open>& open, Check check);
  void Settle(Worker& worker, const std::shared_ptr<Open>& open, Trouble trouble, bool anew);

  Session& session_;
  Mutex mutex_;
  CondVar wake_;  // workers wait for a task or the end
  CondVar room_;  // the producer waits for a half-empty queue
  CondVar over_;  // Wait waits for the end
  std::deque<Job> parts_ GUARDED_BY(mutex_);
  std::deque<Job> objects_ GUARDED_BY(mutex_);
  int64_t unfinished_ GUARDED_BY(mutex_) = 0;  // objects that were added and are not finished
  bool closed_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // constant after construction
};

}  // namespace muster::transfer
