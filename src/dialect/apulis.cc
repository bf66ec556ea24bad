#include "dialect/apulis.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/boot_file.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/job_rank_table.h"
#include "dialect/mpirun.h"
#include "dialect/plan.h"

namespace muster::dialect {

namespace {

// Frameworks that start their ranks from one place by themselves.
constexpr std::array<std::string_view, 4> kFromOnePlace{"horovod", "mpi", "deepspeed", "ray"};
constexpr std::string_view kKeepAliveNote =
    "`sleep infinity` at the end of the command is left out: the job ends with its work, and its "
    "logs and files stay";

bool StartsFromOnePlace(const JobSpec& spec) {
  return std::ranges::find(kFromOnePlace, spec.framework) != kFromOnePlace.end();
}

JobSpec Inside(const JobSpec& spec) {
  JobSpec inside = spec;
  for (Role& role : inside.roles) TakeKeepAlive(role.run);
  if (StartsFromOnePlace(spec) || spec.launch.start != Launch{}.start) return inside;
  inside.framework = "custom";
  for (Role& role : inside.roles) {
    if (role.ranks == role.devices.count) role.ranks = 1;
  }
  return inside;
}

// Several nodes without NPUs: the first one works, the others are there for its logins.
void LeaveToFirst(std::vector<NodeOrder>& orders) {
  for (NodeOrder& order : orders) {
    if (order.node != 0) order.ranks.clear();
  }
  for (RankOrder& process : orders.front().ranks) {
    DropRankEnv(process.env);
    SetEnv(process.env, "DLWS_ROLE_NAME", "ps");
    SetEnv(process.env, "DLWS_ROLE_IDX", 0);
  }
}

Status Apply(const PlatformJob& job, std::vector<NodeOrder>& orders) {
  const JobFacts& facts = *job.facts;
  const ApLayout layout = ApLayoutOf(*job.outside, facts.places->job);
  std::vector<TableHost> npus;
  if (HasNpus(facts)) {
    MUSTER_ASSIGN(npus, TableHostsOf(facts));
  }
  Aliases aliases;
  for (const NodeOrder& order : orders) {
    for (const char* form : {"worker-{}", "ib-worker-{}"}) {
      aliases.emplace_back(order.node, fmt::format(fmt::runtime(form), order.node));
    }
  }
  for (const char* name : {"ps-0", "master"}) aliases.emplace_back(0, name);
  const Shared<Aliases> shared = std::move(aliases);
  for (NodeOrder& order : orders) {
    order.platform = job.outside->platform;
    order.aliases = shared;
    SetApVariables(job, layout, npus, order);
    AddApPrograms(job, order);
  }
  const bool several = orders.size() > 1 && npus.empty();
  if (several && !StartsFromOnePlace(*facts.spec)) LeaveToFirst(orders);
  for (const Role& role : job.outside->roles) {
    Command run = role.run;
    if (!TakeKeepAlive(run)) continue;
    orders.front().notes.emplace_back(kKeepAliveNote);
    break;
  }
  MUSTER_TRY(AddApFiles(job, layout, npus, orders));
  for (NodeOrder& order : orders) order.view = ApView(job, layout, order);
  return {};
}

}  // namespace

bool TakeKeepAlive(Command& run) {
  std::string& line = run.words.empty() ? run.text : run.words.back();
  std::string_view text = Trim(line);
  std::string close;
  if (!text.empty() && (text.back() == '\'' || text.back() == '"')) {
    close = text.back();
    text = Trim(text.substr(0, text.size() - 1));
  }
  const auto take = [&](std::string_view word) {
    if (!text.ends_with(word)) return false;
    text = Trim(text.substr(0, text.size() - word.size()));
    return true;
  };
  if (!take("infinity") || !take("sleep")) return false;
  if (!take("&&") && !take(";")) return false;
  if (text.empty() || text.back() == '\'' || text.back() == '"') return false;
  line = std::string(text) + close;
  return true;
}

const Platform kApulis{.name = "apulis",
                       .common_ports = [](const JobSpec&) { return 0; },
                       .inside = Inside,
                       .apply = Apply};

}  // namespace muster::dialect
