#pragma once

#include <deque>
#include <memory>

#include "api/routes.h"

namespace muster::api {

// Answers POST /plan. Plans are made in the pool, one at a time: a plan for thousands of nodes
// takes seconds and hundreds of megabytes. On the loop.
class PlanQueue : public std::enable_shared_from_this<PlanQueue> {
 public:
  static constexpr size_t kMostWaiting = 16;

  explicit PlanQueue(ContextPtr context) : context_(std::move(context)) {}
  void Add(json::value document, http::Reply reply);

 private:
  struct Waiting {
    json::value document;
    std::shared_ptr<http::Reply> reply;
  };
  void Start(Waiting next);
  void Finish();

  ContextPtr context_;
  bool working_ = false;
  std::deque<Waiting> waiting_;
};

}  // namespace muster::api
