#include "api/plan_queue.h"

#include <expected>
#include <utility>

#include <fmt/format.h>

#include "api/answers.h"
#include "model/plan_document.h"

namespace muster::api {
namespace {

class PlanStream final : public http::Stream {
 public:
  explicit PlanStream(std::unique_ptr<PlanWriter> plan) : plan_(std::move(plan)) {}
  Next Read(std::string& out) override { return plan_->Next(out) ? Next::kData : Next::kEnd; }
  void OnReady(std::function<void()>) override {}  // it never waits

 private:
  std::unique_ptr<PlanWriter> plan_;
};

using Outcome = std::expected<std::unique_ptr<PlanWriter>, lifecycle::Refusal>;

Outcome MakePlan(const lifecycle::Conductor::PlanWork& work) {
  auto orders = work();
  if (!orders) return std::unexpected(std::move(orders).error());
  return std::make_unique<PlanWriter>(*std::move(orders));
}

void SendOutcome(http::Reply& reply, Outcome& outcome) {
  if (!outcome) return reply.Send(FaultyResponse(outcome.error().error, outcome.error().faults));
  http::Response head{200, {{"Content-Type", "application/json"}}, ""};
  reply.SendStream(std::move(head), std::make_unique<PlanStream>(*std::move(outcome)));
}

}  // namespace

void PlanQueue::Add(json::value document, http::Reply reply) {
  if (waiting_.size() >= kMostWaiting) {
    return reply.Send(http::ErrorResponse(
        {Code::kUnavailable, fmt::format("{} plans are waiting already", waiting_.size()),
         "try again, or plan without the server: muster plan --offline"}));
  }
  Waiting next{std::move(document), Share(std::move(reply))};
  if (working_) return waiting_.push_back(std::move(next));
  Start(std::move(next));
}

void PlanQueue::Start(Waiting next) {
  working_ = true;
  auto work = context_->parts.conductor.PlanOf(std::move(next.document));
  // The queue and the reply may end on the loop only, so they leave the pool with the outcome.
  context_->parts.pool.Run([queue = shared_from_this(), reply = std::move(next.reply),
                            work = std::move(work)]() mutable {
    auto outcome = std::make_shared<Outcome>(MakePlan(work));
    os::Loop& loop = queue->context_->parts.loop;
    loop.Post([queue = std::move(queue), reply = std::move(reply), outcome] {
      SendOutcome(*reply, *outcome);
      queue->Finish();
    });
  });
}

void PlanQueue::Finish() {
  working_ = false;
  if (waiting_.empty()) return;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  Start(std::move(next));
}

}  // namespace muster::api
