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

// Frameworks whose command on the first node starts the ranks of all nodes.
constexpr std::array<std::string_view, 4> kFromOnePlace{"horovod", "mpi", "deepspeed", "ray"};
constexpr std::string_view kKeepAliveNote =
    "`sleep infinity` at the end of the command is left out: the job ends with its work, and its "
    "logs and files stay";

// Without a comment at the end of the last line.
std::string_view WithoutComment(std::string_view text) {
  const size_t begin = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  char quote = '\0';
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#' && (i == begin || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      return Trim(text.substr(0, i));
    }
  }
  return text;
}

// Whether the quoted word at the end, whose closing quote is cut off, is the text of a shell: the
// word before it is an option such as -c or -lc.
bool IsShellsText(std::string_view text, char quote) {
  const size_t open = text.rfind(quote);
  if (open == std::string_view::npos) return false;
  const std::string_view before = Trim(text.substr(0, open));
  const std::string_view word = before.substr(before.find_last_of(" \t\n") + 1);
  return word.starts_with('-') && word.ends_with('c');
}

bool StartsFromOnePlace(const JobSpec& spec) {
  return std::ranges::find(kFromOnePlace, spec.framework) != kFromOnePlace.end();
}

JobSpec Inside(const JobSpec& spec) {
  JobSpec inside = spec;
  for (Role& role : inside.roles) TakeKeepAlive(role.run);
  // Commands know their folders: /data and the home. Arguments are for boot files alone.
  const auto boots = [](const Role& role) { return BootFile(role.run).has_value(); };
  if (std::ranges::none_of(inside.roles, boots)) {
    inside.inputs.clear();
    inside.outputs.clear();
  }
  if (StartsFromOnePlace(spec) || spec.launch.start != Launch{}.start) return inside;
  inside.framework = "custom";
  for (Role& role : inside.roles) {
    if (role.ranks == role.devices.count) role.ranks = 1;
  }
  return inside;
}

// Several nodes without NPUs: the first one runs the command, the others accept its logins.
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
  std::string_view text = WithoutComment(Trim(line));
  std::string close;  // of the text that the command stands in
  while (!text.empty() && std::string_view(")}'\"; \t\n").contains(text.back())) {
    const char last = text.back();
    text.remove_suffix(1);
    if ((last == '\'' || last == '"') && !IsShellsText(text, last)) return false;
    if (last == '}') close.insert(0, "; }");
    if (last == ')' || last == '\'' || last == '"') close.insert(0, 1, last);
  }
  const auto take = [&](std::string_view word) {
    if (!text.ends_with(word)) return false;
    text = Trim(text.substr(0, text.size() - word.size()));
    return true;
  };
  if (!take("sleep infinity") && !take("sleep inf") && !take("tail -f /dev/null")) return false;
  for (const auto& [open, end] : {std::pair("(", ")"), std::pair("{", "; }")}) {
    if (close.starts_with(end) && take(open)) close.erase(0, std::string_view(end).size());
  }
  const bool next_line = text.size() < line.size() && line[text.size()] == '\n';
  if (!take("&&") && !take(";") && !next_line) return false;
  if (text.empty() || std::string_view("({&|;").contains(text.back())) return false;
  // Nothing else stands between the quotes.
  if (!close.empty() && close.front() == text.back()) return false;
  line = std::string(text) + close;
  return true;
}

const Platform kApulis{.name = "apulis",
                       .common_ports = [](const JobSpec&) { return 0; },
                       .inside = Inside,
                       .apply = Apply};

}  // namespace muster::dialect
