#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/apulis.h"
#include "dialect/command.h"
#include "dialect/environment.h"
#include "dialect/job_rank_table.h"
#include "dialect/mpirun.h"
#include "dialect/plan.h"
#include "dialect/staging.h"

namespace muster::dialect {

namespace {

// Variables of a container that concern only its start.
constexpr std::array<std::string_view, 3> kNotDumped{"HOME", "PATH", "PWD"};
// Variables of ssh sessions.
constexpr std::array<std::string_view, 17> kOfSessions{"LD_LIBRARY_PATH", "LIBRARY_PATH",
                                                       "PYTHONPATH",      "NCCL_IB_DISABLE",
                                                       "NCCL_VERSION",    "DLWS_HOST_NETWORK",
                                                       "DLWS_JOB_ID",     "DLWS_NUM_PS",
                                                       "DLWS_NUM_WORKER", "DLWS_NUM_GPU_PER_WORKER",
                                                       "DLWS_VC_NAME",    "DLWS_UID",
                                                       "DLWS_GID",        "DLWS_USER_NAME",
                                                       "DLWS_USER_EMAIL", "DLWS_ROLE_NAME",
                                                       "DLWS_ROLE_IDX"};

// scp [OPTIONS] SOURCE... TARGET over the ssh beside it; names of hosts end with a colon. Files are
// packed by tar, so that modes and folders stay as they are.
constexpr std::string_view kScp = R"sh(#!/bin/bash
ssh="$(dirname "$0")/ssh"
while [[ "${1-}" == -* ]]; do
  case "$1" in
    --) shift; break ;;
    -[cDFiJloPSX]) shift 2 || exit 1 ;;
    *) shift ;;
  esac
done
[ $# -ge 2 ] || { echo "usage: scp [OPTIONS] SOURCE... TARGET" >&2; exit 1; }
target="${*: -1}"
host() { case "${1%%/*}" in *:*) echo "${1%%:*}" ;; esac; }
on() { if [ -n "$1" ]; then "$ssh" "$1" "$2"; else (eval "$2"); fi; }
put='t="$(mktemp -d "${TMPDIR:-/tmp}/scp.XXXXXX")" && tar -xf - -C "$t" && if [ -d "$d" ]; then cp -a "$t"/. "$d"; else mv "$t"/* "$d"; fi; code=$?; rm -rf "$t"; exit $code'
set -o pipefail
for source in "${@:1:$#-1}"; do
  from="$(host "$source")"; path="${source#"${from:+$from:}"}"
  to="$(host "$target")"; into="${target#"${to:+$to:}"}"
  printf -v pack 'cd -- "$(dirname %q)" && tar -cf - -- "$(basename %q)"' "$path" "$path"
  printf -v unpack 'd=%q; ' "${into:-.}"
  on "$from" "$pack" | on "$to" "$unpack$put" || exit
done
)sh";

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

int Slots(const NodeShare& share) { return std::max(1, int(share.devices.size())); }

// Lines of "worker-0 slots=8".
std::string HostLines(const JobFacts& facts, std::string_view prefix) {
  std::string lines;
  for (const NodeShare& share : facts.allocation->nodes) {
    lines += fmt::format("{}worker-{} slots={}\n", prefix, share.index, Slots(share));
  }
  return lines;
}

std::string SshBlock(const std::string& host, const NodeShare& share, const ApLayout& layout) {
  return fmt::format(
      "Host {}\n  HostName {}\n  Port 22\n  User {}\n  StrictHostKeyChecking no\n"
      "  UserKnownHostsFile /dev/null\n",
      host, share.address, layout.user);
}

std::string SshConfig(const JobFacts& facts, const ApLayout& layout) {
  std::string text;
  const bool alone = facts.allocation->nodes.size() == 1;
  text += SshBlock(alone ? "master" : "ps-0", facts.first(), layout);
  for (const NodeShare& share : facts.allocation->nodes) {
    text += SshBlock(fmt::format("worker-{}", share.index), share, layout);
    text += SshBlock(fmt::format("ib-worker-{}", share.index), share, layout);
  }
  return text;
}

std::string PodEnv(const NodeOrder& order) {
  std::string text;
  for (const auto& [name, value] : order.env) {
    if (Has(kNotDumped, name) || name.starts_with("MUSTER_")) continue;
    text += fmt::format("export {}={}\n", name, ShellQuote(value));
  }
  return text;
}

std::string SessionEnv(const NodeOrder& order) {
  std::string text;
  for (const auto& [name, value] : order.env) {
    // One line per variable: the format has no quoting.
    if (Has(kOfSessions, name) && !value.contains('\n')) {
      text += fmt::format("{}={}\n", name, value);
    }
  }
  return text;
}

std::string NpuInfo(const TableHost& host) {
  return fmt::format("ip={}\nhost={}\n", NpuAddresses(host), host.server);
}

Pairs::const_iterator FindInput(const JobSpec& spec, std::string_view name) {
  return std::ranges::find(spec.inputs, name, [](const auto& pair) { return pair.first; });
}

Status AddTables(const JobFacts& facts, const ApLayout& layout, std::span<const TableHost> npus,
                 std::vector<NodeOrder>& orders) {
  std::vector<std::string> pods;
  for (const NodeOrder& order : orders) {
    pods.push_back(fmt::format("{}-worker{}", layout.job_uuid, order.node));
  }
  MUSTER_ASSIGN(const Shared<std::string> lab, PlatformTable(facts, TableForm::kLab, pods));
  MUSTER_ASSIGN(const Shared<std::string> cloud, PlatformTable(facts, TableForm::kCloud, pods));
  for (NodeOrder& order : orders) {
    order.files.push_back({layout.npu + "/hccl_ms.json", lab});
    order.files.push_back({layout.npu + "/hccl_tf.json", cloud});
    order.files.push_back(
        {fmt::format("{}/npu_{}.info", layout.npu, order.node), NpuInfo(npus[size_t(order.node)])});
    order.files.push_back({layout.npu + "/setup_environment_done", std::string()});
  }
  return {};
}

}  // namespace

Status AddApFiles(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                  std::vector<NodeOrder>& orders) {
  const JobFacts& facts = *job.facts;
  const bool alone = orders.size() == 1;
  const Shared<std::string> hosts =
      alone ? fmt::format("master slots={}\n", Slots(facts.first())) : HostLines(facts, "");
  const Shared<std::string> ib = HostLines(facts, "ib-");
  const Shared<std::string> ssh = SshConfig(facts, layout);
  for (NodeOrder& order : orders) {
    order.files.push_back({"/job/hostfile", hosts});
    order.files.push_back({"/job/ib_config", ib});
    // Later versions of the platform have one file per worker.
    const NodeShare& share = facts.allocation->nodes[size_t(order.node)];
    order.files.push_back({fmt::format("/job/ib_config-worker-{}", order.node),
                           fmt::format("ib-worker-{} slots={}\n", order.node, Slots(share))});
    order.files.push_back({layout.home + "/ib_config", ib});
    order.files.push_back({layout.home + "/.ssh/config", ssh, 0600});
    order.files.push_back({layout.home + "/.ssh/environment", SessionEnv(order), 0600});
    order.files.push_back({"/pod/pod.env", PodEnv(order)});
    order.folders.push_back(fmt::format("{}/tensorboard/{}/logs", layout.home, layout.job_uuid));
  }
  return npus.empty() ? Status() : AddTables(facts, layout, npus, orders);
}

void AddApPrograms(const PlatformJob& job, NodeOrder& order) {
  AddSudo(order);
  order.agent = true;
  WriteSsh(*job.facts, order);
  order.files.push_back({order.dir + "/bin/scp", std::string(kScp), 0755});
  order.pre_start = PreStart{.name = "the container's setup",
                             .text = "export PATH=\"$1:$PATH\"\n",
                             .words = {order.dir + "/bin"}};
}

View ApView(const PlatformJob& job, const ApLayout& layout, const NodeOrder& order) {
  const JobSpec& outside = *job.outside;
  const Places& places = *job.facts->places;
  View view;
  const auto mount = [&](std::string path, std::string source) -> ViewMount& {
    return view.mounts.emplace_back(std::move(path), std::move(source));
  };
  mount("/tmp", order.dir + "/tmp").scratch = true;
  // Folders of the user that stay between jobs: an input called home is the home.
  const auto home = FindInput(outside, "home");
  if (home != outside.inputs.end() && !outside.IsFetched(*home)) {
    mount(layout.home, InputPath(outside, *home, places)).given = true;
  } else {
    mount(layout.home, places.job_dir + "/outputs/home");
  }
  mount(layout.home + "/.ssh", order.dir + "/ssh");
  mount("/job", places.attempt_dir + "/job");
  mount("/pod", order.dir + "/pod");
  for (const auto& input : outside.inputs) {
    const auto& name = input.first;
    if (name == "home" || name == "job" || name == "pod" || name.contains('/')) continue;
    ViewMount& made = mount("/" + name, InputPath(outside, input, places));
    made.given = !outside.IsFetched(input);
    made.if_absent = name != "data";  // no folder of the machine is replaced
  }
  if (FindInput(outside, "data") == outside.inputs.end())
    mount("/data", places.job_dir + "/outputs/data").if_absent = true;
  view.links.emplace_back("/pod.env", "/pod/pod.env");
  view.keep = KeptPaths(outside, places);
  return view;
}

}  // namespace muster::dialect
