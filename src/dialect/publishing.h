#pragma once

#include <string>
#include <vector>

#include "dialect/plan.h"
#include "model/order.h"
#include "model/publication.h"
#include "model/spec.h"

namespace muster::dialect {

// How a job ended, as far as publishing depends on it.
struct JobEnd {
  std::string state;  // "succeeded", "failed" or "stopped"
  bool ran = true;    // a rank of some attempt was started
};

// The outputs and logs to publish when the job has ended; empty() when there are none. Outputs are
// published only if a rank ran. `orders` are the orders of the last attempt.
Publication PublicationAtEnd(const JobSpec& spec, const Places& places,
                             const std::vector<NodeOrder>& orders, const JobEnd& end);

// The copies of this node while its ranks run: its own logs, and on the first node the outputs,
// whose folders all nodes share.
Publication PublicationMeanwhile(const JobSpec& spec, const Places& places, const NodeOrder& order);

// Logs under ModelArts' names: the first process of a node is its task; if a node has several
// processes, each has a file.
std::vector<LogOrder> LogsOf(const JobSpec& spec, JobId job, const NodeOrder& order);

// An order without ranks: its launcher publishes and ends. `attempt` is an order of the attempt,
// `dir` the folder of this try.
NodeOrder PublishingOrder(const NodeOrder& attempt, const std::string& token,
                          const std::string& dir, const Publication& publication);

}  // namespace muster::dialect
