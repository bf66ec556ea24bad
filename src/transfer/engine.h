#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "transfer/object_copy.h"

namespace muster::transfer {

// Runs copies of objects on the workers of a session: parts of objects that were begun first, so
// that few are open at once, then new objects. Owned by who feeds it; Finish before destruction.
class Engine {
 public:
  Engine(Session& session, int hands);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Waits while enough is in the queue; false when the copy is to end.
  bool Add(Item item, Target target) EXCLUDES(mutex_);
  // No more will be added.
  void Close() EXCLUDES(mutex_);
  // Waits for all that was added, at most `ms`; true when it is through.
  bool Wait(int64_t ms) EXCLUDES(mutex_);

 private:
  struct Open;  // an object whose parts are on their way
  struct Job {
    std::shared_ptr<Open> open;  // shared by the workers that move its parts
    int part = 0;                // 0: the whole object, from its beginning
  };

  void Run();
  std::optional<Job> Take() EXCLUDES(mutex_);
  // More objects like it, as many as wait and are worth a request.
  std::vector<std::shared_ptr<Open>> TakeMore(const Open& first) EXCLUDES(mutex_);
  void MakeRoom() REQUIRES(mutex_);
  void Ended() EXCLUDES(mutex_);  // an object, well or not
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
  CondVar wake_;  // a worker: there is something to do, or nothing any more
  CondVar room_;  // who adds: the queue is half empty
  CondVar over_;  // who waits for the end
  std::deque<Job> parts_ GUARDED_BY(mutex_);
  std::deque<Job> objects_ GUARDED_BY(mutex_);
  int64_t unfinished_ GUARDED_BY(mutex_) = 0;  // objects added and not ended
  bool closed_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // constant after construction
};

}  // namespace muster::transfer
