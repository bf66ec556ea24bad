#include "transfer/engine.h"

#include <algorithm>
#include <atomic>

#include "transfer/lister.h"

namespace muster::transfer {
namespace {

constexpr size_t kMostWaiting = 1024;
constexpr int kMostRounds = 3;

}  // namespace

struct Engine::Open {
  Item item;
  Target target;
  int round = 1;  // how often it was begun
  std::unique_ptr<ObjectCopy> copy = {};
  PartPlan plan = {};
  std::atomic<int> parts_left = 0;
  Mutex mutex = {};
  std::optional<Trouble> trouble GUARDED_BY(mutex) = {};  // the first of its parts

  bool broken() {
    const MutexLock lock(mutex);
    return trouble.has_value();
  }
};

Engine::Engine(Session& session) : session_(session) {
  for (int i = 0; i < std::max(1, session.options.workers); ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

Engine::~Engine() { Close(); }

bool Engine::Add(Item item, Target target) {
  auto open = std::make_shared<Open>(std::move(item), std::move(target));
  MutexLock lock(mutex_);
  while (objects_.size() >= kMostWaiting && !session_.stopped()) room_.WaitFor(lock, 200);
  if (session_.stopped()) return false;
  objects_.push_back({std::move(open), 0});
  ++unfinished_;
  wake_.NotifyOne();
  return true;
}

void Engine::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  wake_.NotifyAll();
}

bool Engine::Wait(int64_t ms) {
  MutexLock lock(mutex_);
  if (!closed_ || unfinished_ > 0) room_.WaitFor(lock, ms);
  return closed_ && unfinished_ == 0;
}

std::optional<Engine::Job> Engine::Take() {
  MutexLock lock(mutex_);
  while (true) {
    std::deque<Job>& queue = parts_.empty() ? objects_ : parts_;
    if (!queue.empty()) {
      Job job = std::move(queue.front());
      queue.pop_front();
      if (&queue == &objects_) room_.NotifyAll();
      return job;
    }
    if (closed_ && unfinished_ == 0) return std::nullopt;
    wake_.Wait(lock);
  }
}

void Engine::Ended() {
  const MutexLock lock(mutex_);
  if (--unfinished_ == 0) {
    wake_.NotifyAll();
    room_.NotifyAll();
  }
}

void Engine::Run() {
  Worker worker(session_);
  while (auto job = Take()) {
    if (job->part == 0) {
      Begin(worker, job->open);
    } else {
      MovePart(worker, job->open, job->part);
    }
  }
}

void Engine::Begin(Worker& worker, const std::shared_ptr<Open>& open) {
  if (session_.stopped()) return Ended();
  if (open->round > 1) {
    if (Status fresh = Refresh(worker, open->item); !fresh) {
      return Settle(worker, open, Trouble(std::move(fresh).error()), false);
    }
  }
  auto copy = MakeObjectCopy(session_, open->item, open->target);
  if (!copy) return Settle(worker, open, Trouble(std::move(copy).error()), false);
  open->copy = std::move(*copy);
  auto work = open->copy->Begin(worker);
  if (!work) return Settle(worker, open, std::move(work).error(), false);
  open->plan = work->plan;
  for (int number = 1; number <= work->plan.count && work->plan.count > 1; ++number) {
    const bool is_left = std::ranges::find(work->left, number) != work->left.end();
    if (!is_left) session_.PartEnded(work->plan.At(number).length);
  }
  if (work->left.empty()) return FinishObject(worker, open);
  open->parts_left = static_cast<int>(work->left.size());
  if (work->left.size() > 1) {
    const MutexLock lock(mutex_);
    for (size_t i = 1; i < work->left.size(); ++i) parts_.push_back({open, work->left[i]});
    wake_.NotifyAll();
  }
  MovePart(worker, open, work->left.front());
}

void Engine::MovePart(Worker& worker, const std::shared_ptr<Open>& open, int number) {
  if (!open->broken() && !session_.stopped()) {
    const Part part = open->plan.At(number);
    auto moved = open->copy->Move(worker, part);
    if (moved) {
      session_.PartEnded(std::max<int64_t>(part.length, 0));
    } else {
      const MutexLock lock(open->mutex);
      if (!open->trouble) open->trouble = std::move(moved).error();
    }
  }
  if (--open->parts_left > 0) return;
  std::optional<Trouble> trouble;
  {
    const MutexLock lock(open->mutex);
    trouble = std::move(open->trouble);
    open->trouble.reset();
  }
  if (trouble) return Settle(worker, open, std::move(*trouble), false);
  if (session_.stopped()) return Ended();
  FinishObject(worker, open);
}

void Engine::FinishObject(Worker& worker, const std::shared_ptr<Open>& open) {
  auto check = open->copy->Finish(worker);
  if (!check) {
    // What came together is not what was to come: from the beginning.
    const bool anew = check.error().error.code == Code::kCorrupt;
    return Settle(worker, open, std::move(check).error(), anew);
  }
  open->copy.reset();
  if (session_.record) session_.record->Done(open->target.Key(), open->item.identity);
  session_.Copied(open->item, Show(open->target.at), *check);
  Ended();
}

void Engine::Settle(Worker& worker, const std::shared_ptr<Open>& open, Trouble trouble, bool anew) {
  anew = anew || Decide(trouble, 1, 0, session_.options.retry).remedy == Remedy::kBeginAnew;
  const bool again = anew && open->round < kMostRounds && !session_.stopped();
  if (open->copy && (anew || !open->copy->GoesOnLater())) open->copy->Abandon(worker);
  open->copy.reset();
  if (again) {
    ++open->round;
    session_.Retried();
    const MutexLock lock(mutex_);
    objects_.push_back({open, 0});
    wake_.NotifyOne();
    return;
  }
  session_.Failed(Show(open->item.at), Show(open->target.at), std::move(trouble.error),
                  open->item.size);
  Ended();
}

}  // namespace muster::transfer
