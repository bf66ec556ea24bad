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

// What this node takes elsewhere while its ranks run: its own logs, and the first node the outputs,
// whose folders all nodes share.
Publication PublicationMeanwhile(const JobSpec& spec, const Places& places, const NodeOrder& order);

// Logs under the names that ModelArts has for them: a node's first process is its task, and where
// a node has several, each has a file of its own.
std::vector<LogOrder> LogsOf(const JobSpec& spec, JobId job, const NodeOrder& order);

// An order without ranks: its launcher publishes and ends. `attempt` is one of the orders that the
// attempt ran by, `dir` the folder of this try.
NodeOrder PublishingOrder(const NodeOrder& attempt, const std::string& token,
                          const std::string& dir, const Publication& publication);

}  // namespace muster::dialect
