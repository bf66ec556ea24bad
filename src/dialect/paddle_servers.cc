#include "dialect/paddle_servers.h"

#include <algorithm>

#include "dialect/environment.h"
#include "dialect/paddle_launch.h"

namespace muster::dialect {

namespace {

enum class Part { kServer, kTrainer, kHeter };

Part PartOf(const Role& role) {
  if (role.name == "ps" || role.name == "pserver") return Part::kServer;
  return role.name == "heter" ? Part::kHeter : Part::kTrainer;
}

std::string OwnEndpoint(const RankFacts& rank) {
  return Endpoint(rank.share->address, rank.share->ports[size_t(rank.local_rank)]);
}

struct Lists {
  std::string servers, trainers, heters;
  int trainer_count = 0;

  explicit Lists(const JobFacts& facts) {
    for (const RankFacts& rank : facts.ranks) {
      const Part part = PartOf(*rank.role);
      std::string& list = part == Part::kServer  ? servers
                          : part == Part::kHeter ? heters
                                                 : trainers;
      list += (list.empty() ? "" : ",") + OwnEndpoint(rank);
      if (part == Part::kTrainer) ++trainer_count;
    }
  }
};

Status Check(const Lists& lists) {
  if (lists.trainer_count > 0) return {};
  return Fail(Code::kInvalid, "a Paddle job with parameter servers has no trainers",
              "add a role such as `worker` beside `ps`");
}

void SetProcess(const RankFacts& rank, int trainer, Pairs& env) {
  const Part part = PartOf(*rank.role);
  SetEnv(env, "TRAINING_ROLE",
         part == Part::kServer  ? "PSERVER"
         : part == Part::kHeter ? "HETER_TRAINER"
                                : "TRAINER");
  SetEnv(env, "PADDLE_CURRENT_ENDPOINT", OwnEndpoint(rank));
  // A server finds its index in the list by these two variables.
  SetEnv(env, "POD_IP", rank.share->address);
  SetEnv(env, "PADDLE_PORT", rank.share->ports[size_t(rank.local_rank)]);
  if (part == Part::kTrainer) SetEnv(env, "PADDLE_TRAINER_ID", trainer);
}

}  // namespace

bool HasPaddleServers(const JobSpec& spec) {
  return std::ranges::any_of(spec.roles,
                             [](const Role& role) { return PartOf(role) == Part::kServer; });
}

Status ApplyPaddleServers(const JobFacts& facts, std::vector<NodeOrder>& orders) {
  const Lists lists(facts);
  MUSTER_TRY(Check(lists));
  const Version version = VersionOf(*facts.spec, kCurrentPaddle);
  const NodeShare& first = facts.first();
  for (NodeOrder& order : orders) {
    SetPaddleDefaults(facts.allocation->nodes[size_t(order.node)], order.env);
    SetEnv(order.env, "PADDLE_PSERVERS_IP_PORT_LIST", lists.servers);
    SetEnv(order.env, "PADDLE_TRAINER_ENDPOINTS", lists.trainers);
    SetEnv(order.env, "PADDLE_TRAINERS_NUM", lists.trainer_count);
    if (!lists.heters.empty()) {
      SetEnv(order.env, "PADDLE_HETER_TRAINER_IP_PORT_LIST", lists.heters);
    }
    if (version < kFleetLaunch) continue;
    // The barrier between trainers: gloo with an HTTP rendezvous at the first server.
    SetEnvDefault(order.env, "PADDLE_WITH_GLOO", "0");
    SetEnv(order.env, "PADDLE_GLOO_RENDEZVOUS", "3");
    SetEnv(order.env, "PADDLE_GLOO_HTTP_ENDPOINT", Endpoint(first.address, first.ports.back()));
  }
  int trainer = 0;
  EachRank(facts, orders, [&](const RankFacts& rank, NodeOrder&, RankOrder& process) {
    SetProcess(rank, trainer, process.env);
    if (PartOf(*rank.role) == Part::kTrainer) ++trainer;
  });
  return {};
}

}  // namespace muster::dialect
