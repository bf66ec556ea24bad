#include "transfer/engine.h"

#include <algorithm>
#include <atomic>

#include "transfer/lister.h"

namespace muster::transfer {
namespace {

constexpr size_t kMostWaiting = 1024;
constexpr int kMostRounds = 3;
constexpr size_t kMostTogether = 64;

}  // namespace

struct Engine::Open {
  Item item;
  Target target;
  int round = 1;  // number of starts
  std::unique_ptr<ObjectCopy> copy = {};
  PartPlan plan = {};
  int64_t kept = 0;  // bytes that an earlier run transferred
  std::atomic<int> parts_left = 0;
  Mutex mutex = {};
  std::optional<Trouble> trouble GUARDED_BY(mutex) = {};  // of the first failed part

  // Whether one request can finish both objects: both are small and have the same bucket.
  bool IsLike(const Open& other, int64_t small) const {
    return item.size <= small && round == 1 && item.at.kind == other.item.at.kind &&
           target.at.profile == other.target.at.profile &&
           target.at.bucket == other.target.at.bucket;
  }
  bool broken() {
    const MutexLock lock(mutex);
    return trouble.has_value();
  }
};

Engine::Engine(Session& session, int hands) : session_(session) {
  for (int i = 0; i < std::max(1, hands); ++i) {
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
  over_.NotifyAll();
}

bool Engine::Wait(int64_t ms) {
  MutexLock lock(mutex_);
  if (!closed_ || unfinished_ > 0) over_.WaitFor(lock, ms);
  return closed_ && unfinished_ == 0;
}

std::optional<Engine::Job> Engine::Take() {
  MutexLock lock(mutex_);
  while (true) {
    std::deque<Job>& queue = parts_.empty() ? objects_ : parts_;
    if (!queue.empty()) {
      Job job = std::move(queue.front());
      queue.pop_front();
      MakeRoom();
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
    over_.NotifyAll();
  }
}

// Wake the producer only when the queue is half empty, not for each object.
void Engine::MakeRoom() {
  if (objects_.size() <= kMostWaiting / 2) room_.NotifyAll();
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

// Returns whether a copy exists now; otherwise the object is finished.
bool Engine::Prepare(Worker& worker, const std::shared_ptr<Open>& open) {
  if (open->round > 1) {
    if (Status fresh = Refresh(worker, open->item); !fresh) {
      Settle(worker, open, Trouble(std::move(fresh).error()), false);
      return false;
    }
  }
  auto copy = MakeObjectCopy(session_, open->item, open->target);
  if (!copy) {
    Settle(worker, open, Trouble(std::move(copy).error()), false);
    return false;
  }
  open->copy = std::move(*copy);
  return true;
}

std::vector<std::shared_ptr<Engine::Open>> Engine::TakeMore(const Open& first) {
  std::vector<std::shared_ptr<Open>> more;
  const MutexLock lock(mutex_);
  // Limit the objects per request to a fair share, so that all workers have work.
  const auto hands = static_cast<size_t>(std::max(1, session_.options.workers));
  const size_t share = std::min(kMostTogether - 1, objects_.size() / hands);
  const int64_t small = session_.options.parts.whole_up_to;
  while (more.size() < share && objects_.front().open->IsLike(first, small)) {
    more.push_back(std::move(objects_.front().open));
    objects_.pop_front();
  }
  MakeRoom();
  return more;
}

Outcome<void> Engine::MoveWhole(Worker& worker, Open& open) {
  MUSTER_ASSIGN(const ObjectCopy::Work work, open.copy->Begin(worker));
  if (work.plan.count != 1) {
    return std::unexpected(
        Trouble(Error{Code::kConflict, Show(open.item.at) + " grew while it was copied",
                      "copy it again when nothing writes to it", 0}));
  }
  MUSTER_TRY(open.copy->Move(worker, work.plan.At(1)));
  session_.PartEnded(work.plan.size);
  return {};
}

// Small objects that one request finishes: first all their bytes, then the request.
void Engine::BeginTogether(Worker& worker, const std::shared_ptr<Open>& first,
                           const std::string& group) {
  std::vector<std::shared_ptr<Open>> taken = TakeMore(*first), ready;
  taken.insert(taken.begin(), first);
  std::vector<ObjectCopy*> copies;
  for (const auto& open : taken) {
    if (session_.stopped()) {
      Ended();
      continue;
    }
    if (!open->copy && !Prepare(worker, open)) continue;
    if (open->copy->group() != group) {
      Begin(worker, open);
      continue;
    }
    if (auto moved = MoveWhole(worker, *open); !moved) {
      Settle(worker, open, std::move(moved).error(), false);
      continue;
    }
    ready.push_back(open);
    copies.push_back(open->copy.get());
  }
  if (ready.empty()) return;
  auto check = copies.front()->FinishTogether(worker, copies);
  for (const auto& open : ready) {
    if (check) {
      Succeed(open, *check);
    } else {
      Settle(worker, open, check.error(), check.error().error.code == Code::kCorrupt);
    }
  }
}

void Engine::Begin(Worker& worker, const std::shared_ptr<Open>& open) {
  if (session_.stopped()) return Ended();
  if (!open->copy && !Prepare(worker, open)) return;
  if (const std::string group = open->copy->group(); !group.empty() && open->round == 1) {
    return BeginTogether(worker, open, group);
  }
  auto work = open->copy->Begin(worker);
  if (!work) return Settle(worker, open, std::move(work).error(), false);
  open->plan = work->plan;
  open->kept = 0;
  for (int number = 1; number <= work->plan.count && work->plan.count > 1; ++number) {
    const bool is_left = std::ranges::find(work->left, number) != work->left.end();
    if (!is_left) open->kept += work->plan.At(number).length;
  }
  session_.PartEnded(open->kept);
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
    // The received bytes differ from the listed object: start again.
    const bool anew = check.error().error.code == Code::kCorrupt;
    return Settle(worker, open, std::move(check).error(), anew);
  }
  Succeed(open, *check);
}

void Engine::Succeed(const std::shared_ptr<Open>& open, Check check) {
  open->copy.reset();
  if (session_.record) session_.record->Done(open->target.key, open->item.identity);
  session_.Copied(open->item, open->target.at, check, open->kept);
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
