#include "model/spec_reader.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "model/default_name.h"
#include "model/document.h"
#include "model/scalar.h"
#include "model/source.h"
#include "model/spec_fields.h"
#include "model/sweep.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr int64_t kMaxNodes = 10'000;
constexpr int64_t kMaxRanks = 100'000;

void ReadVariables(const Cursor& root) {
  const auto* member = root.value.get_object().if_contains("variables");
  if (member == nullptr || member->is_null()) return;
  const Cursor at = root.At(*member, "variables");
  if (!member->is_object()) return at.Fault("a map of names and values");
  for (const auto& [key, value] : member->get_object()) {
    const Cursor inner = at.At(value, key);
    const std::string shown = fmt::format("the name \"{}\"", ShortText(key));
    if (!IsVariableName(key)) {
      root.reading.AddFault(inner.path, shown,
                            "letters, digits and _ . -, the first one a letter or _");
    } else if (std::ranges::find(kBuiltInNames, std::string_view(key)) != kBuiltInNames.end()) {
      root.reading.AddFault(inner.path, shown, "a name that is not built in",
                            std::string(kBuiltInNamesTaken));
    } else if (!IsScalar(value)) {
      inner.Fault("a text, a number, true or false");
    } else {
      root.reading.variables().Define(key, ScalarText(value));
    }
  }
}

// After all names are known: reports loops and unknown names.
void CheckVariables(const Cursor& root) {
  for (const auto& loop : root.reading.variables().BreakLoops()) {
    const bool closed = loop.front() == loop.back();
    root.reading.AddFault(MemberPath("variables", loop.front()),
                          closed ? "a variable that refers to itself: " + Join(loop, " → ")
                                 : "a chain of more than 64 variables",
                          "variables that end in a value");
  }
  const auto* object = GetObject(root.value.get_object(), "variables");
  if (object == nullptr) return;
  const BuiltIns all{.nodes = 1, .devices = 1, .ranks = 1, .name = "job", .job_id = {}};
  const Cursor at = root.At(*root.value.get_object().if_contains("variables"), "variables");
  for (const auto& member : *object) {
    if (!IsScalar(member.value())) continue;
    (void)at.At(member.value(), member.key()).With(all).Text("a text");
  }
}

// Nodes, devices and ranks are known: sets them in every role with the values of ${nodes} and the
// other built-ins. Returns the values for the whole job.
BuiltIns SettleSizes(const Cursor& root, JobDraft& job) {
  const auto refuse_beside_roles = [&](std::string_view key, bool said) {
    if (!said || !job.has_roles) return;
    root.reading.AddFault(MemberPath("resources", key), fmt::format("{} beside roles", key),
                          fmt::format("{} inside each role", key));
  };
  refuse_beside_roles("nodes", job.nodes.has_value());
  refuse_beside_roles("devices", job.devices.has_value());
  refuse_beside_roles("ranks", job.ranks.has_value());
  if (!job.has_roles) static_cast<Sizes&>(job.drafts.front()) = static_cast<const Sizes&>(job);
  int64_t nodes = 0, ranks = 0, devices = 0;
  for (RoleDraft& draft : job.drafts) {
    Role& role = draft.role;
    role.nodes = draft.nodes.value_or(role.nodes);
    role.devices = draft.devices.value_or(role.devices);
    role.ranks = draft.ranks.value_or(role.devices.count);
    const int64_t role_ranks = int64_t{role.nodes} * role.ranks;
    draft.built_ins = {.nodes = role.nodes,
                       .devices = role.devices.count,
                       .ranks = role_ranks,
                       .name = {},
                       .job_id = {}};
    nodes += role.nodes;
    ranks += role_ranks;
    devices = std::max(devices, int64_t{role.devices.count});
  }
  const std::string_view path = job.has_roles ? "roles" : "resources";
  const auto check = [&](int64_t count, int64_t most, std::string_view what) {
    if (count <= most) return;
    root.reading.AddFault(path, fmt::format("{} {} in all", count, what),
                          fmt::format("at most {} {}", most, what));
  };
  check(nodes, kMaxNodes, "nodes");
  check(ranks, kMaxRanks, "ranks");
  return {.nodes = nodes, .devices = devices, .ranks = ranks, .name = {}, .job_id = {}};
}

void CheckCommands(const Cursor& root, const JobDraft& job) {
  const json::object& document = root.value.get_object();
  const auto* roles = GetObject(document, "roles");
  for (const RoleDraft& draft : job.drafts) {
    if (job.has_roles && draft.path.empty()) continue;  // `roles` has a fault itself
    if (draft.role.run != Command{} || document.contains("run")) continue;
    const auto* role = roles == nullptr ? nullptr : GetObject(*roles, draft.role.name);
    if (role != nullptr && role->contains("run")) continue;  // has a fault itself
    root.reading.AddFault(draft.path.empty() ? "run" : draft.path + ".run", "nothing",
                          "what to execute, such as train.py or \"python train.py\"");
  }
  const auto is_service = [](const RoleDraft& draft) { return draft.role.service; };
  if (!job.drafts.empty() && std::ranges::all_of(job.drafts, is_service)) {
    root.reading.AddFault("roles", "service roles only", "at least one role that ends by itself");
  }
}

// The first generation of ModelArts passes URLs, and scripts copy.
void SettleOutputs(JobDraft& job) {
  if (job.platform != "modelarts-v1") return;
  for (const Publishing& one : job.published) {
    if (!IsFar(one.to)) continue;
    const auto output =
        std::ranges::find(job.outputs, one.name, [](const auto& pair) { return pair.first; });
    output->second = one.to;
  }
  std::erase_if(job.published, [](const Publishing& one) { return IsFar(one.to); });
}

// obs:// and s3:// name the same place. Only for places in a bucket.
std::string_view WithoutScheme(std::string_view place) {
  return place.substr(place.find("://") + 3);
}

// The path of `file` inside `folder`, both in buckets; nothing if it is not inside.
std::string_view InsideFolder(std::string_view file, std::string_view folder) {
  file = WithoutScheme(file);
  folder = WithoutScheme(folder);
  if (folder.ends_with('/')) folder.remove_suffix(1);
  if (!file.starts_with(folder) || !file.substr(folder.size()).starts_with('/')) return {};
  return file.substr(folder.size() + 1);
}

// A boot file in a bucket: its folder is the code unless one is given, and the file must be inside.
void SettleBootFile(const Cursor& root, JobDraft& job, RoleDraft& draft) {
  std::string& text = draft.role.run.text;
  if (!IsBucket(text) || text.find_first_of(" \t\n;&|<>'\"") != std::string::npos) return;
  const auto refuse = [&](std::string expected, std::string_view hint) {
    root.reading.AddFault(draft.path.empty() ? "run" : draft.path + ".run",
                          fmt::format("\"{}\"", ShortText(text)), std::move(expected),
                          std::string(hint));
  };
  std::string_view fault = FarFault(text);
  if (fault.empty() && FarName(text).empty()) fault = "the address must name a file";
  if (!fault.empty()) {
    return refuse("a command, or a boot file such as s3://BUCKET/code/train.py", fault);
  }
  if (job.code.empty()) job.code = text.substr(0, text.rfind('/') + 1);
  const std::string inside(IsBucket(job.code) ? InsideFolder(text, job.code) : "");
  if (inside.empty()) {
    return refuse(fmt::format("a boot file inside of the code, {}", ShortText(job.code)),
                  "name the file as it is called in there, or leave `code` out");
  }
  // A name that looks like another place would be misread when the job is read again.
  if (!IsBucket(inside)) text = inside;
}

void CheckPlaces(const Cursor& root, const JobDraft& job) {
  for (const auto& [name, place] : job.outputs) {
    const auto same = [&](const auto& input) { return input.first == name; };
    if (std::ranges::none_of(job.inputs, same)) continue;
    root.reading.AddFault(MemberPath("outputs", name), "a name that is an input as well",
                          "different names for inputs and outputs");
  }
}

void CheckLaunch(const Cursor& root, const JobDraft& job) {
  const auto ways = WaysToStart(job.framework);
  const std::string& start = job.launch.start;
  if (start == Launch{}.start || std::ranges::find(ways, start) != ways.end()) return;
  std::string expected = "auto";
  for (const std::string_view way : ways) expected += fmt::format(", {}", way);
  root.reading.AddFault("launch.start", fmt::format("\"{}\"", ShortText(start)),
                        fmt::format("a way to start {}: {}", job.framework, expected),
                        root.reading.Suggest(start, ways));
}

// A platform reserves folders, and some of its names become folders.
void CheckPlatform(const Cursor& root, const JobDraft& job) {
  if (job.platform.empty()) return;
  if (job.workdir == "rank") {
    root.reading.AddFault("workdir", "rank beside a platform",
                          "node: the platform has folders for processes");
  }
  for (const RoleDraft& draft : job.drafts) {
    for (const auto& [name, value] : draft.role.env) {
      if (name != "DLWS_USER_NAME" || kNameRule.Fits(value)) continue;
      root.reading.AddFault(
          draft.path.empty() ? "env.DLWS_USER_NAME" : draft.path + ".env.DLWS_USER_NAME",
          fmt::format("\"{}\"", ShortText(value)),
          "the name of a user: " + std::string(kNameRule.expected));
    }
  }
}

void SettleWarning(const Cursor& root, JobDraft& job) {
  const auto* limits = GetObject(root.value.get_object(), "limits");
  const bool said = limits != nullptr && limits->contains("warning");
  if (said && !limits->contains("time")) {
    root.reading.AddFault("limits.warning", "a warning without a time limit",
                          "limits.time as well");
  }
  if (job.warning_said_ms) job.warning_ms = *job.warning_said_ms;
  if (!job.time_limit_ms || job.warning_ms < *job.time_limit_ms) return;
  if (job.warning_said_ms) {
    root.reading.AddFault(
        "limits.warning.before", HumanDuration(job.warning_ms),
        fmt::format("less than the limit of {}", HumanDuration(*job.time_limit_ms)));
  }
  job.warning_ms = *job.time_limit_ms / 2;  // the default of a minute is too long for a short job
}

JobSpec ReadJob(const Cursor& root, const Sweep& sweep, const Pairs& values) {
  for (const auto& [name, value] : values) root.reading.variables().Define(name, value);

  JobDraft job;
  job.drafts.emplace_back();
  ReadFields(root, JobFields(), Stage::kSizes, job);
  BuiltIns built_ins = SettleSizes(root, job);
  ReadFields(root.With(built_ins), JobFields(), Stage::kName, job);
  if (job.name.empty()) job.name = DefaultName(root.value.get_object());
  built_ins.name = job.name;
  for (RoleDraft& draft : job.drafts) draft.built_ins.name = job.name;
  ReadFields(root.With(built_ins), JobFields(), Stage::kRest, job);

  if (job.code == kNoCode) job.code.clear();
  SettleOutputs(job);
  CheckCommands(root, job);
  CheckPlaces(root, job);
  CheckLaunch(root, job);
  CheckPlatform(root, job);
  SettleWarning(root, job);
  for (RoleDraft& draft : job.drafts) {
    SettleBootFile(root, job, draft);
    job.roles.push_back(std::move(draft.role));
  }
  sweep.SetParameters(values, job.roles);
  if (!sweep.Empty()) job.sweep_values = values;
  return std::move(job);
}

// obs://b/x, s3://b/x/ and s3://b/x are one place.
std::string_view PlaceKey(const Publishing& output) {
  std::string_view place = output.to;
  if (IsBucket(place)) place = WithoutScheme(place);
  while (place.ends_with('/')) place.remove_suffix(1);
  return place;
}

// Each published output needs its own place: a second result would replace the first one.
void CheckPublishedPlaces(const Cursor& root, const std::vector<JobSpec>& specs) {
  std::set<std::string_view> of_sweep;
  for (const JobSpec& spec : specs) {
    std::set<std::string_view> of_job;
    for (const Publishing& output : spec.published) {
      const auto refuse = [&](std::string found, std::string expected) {
        root.reading.AddFault(MemberPath("outputs", output.name), std::move(found),
                              std::move(expected));
      };
      if (!of_job.insert(PlaceKey(output)).second)
        return refuse("the place of another output of the job", "a place for each output");
      const bool own = output.overwrite || output.to.contains(kJobIdVariable);
      if (own || of_sweep.insert(PlaceKey(output)).second) continue;
      return refuse("the same place in several jobs of the sweep",
                    "a place with a swept name or ${job_id} in it, or overwrite: true");
    }
  }
}

// The first combination shows the faults of the file; a fault of a later combination is reported
// with its values.
void NameCombination(std::vector<Fault>& faults, const Pairs& values) {
  std::string with = "with";
  for (const auto& [name, value] : values) with += fmt::format(" {}={}", name, ShortText(value));
  for (Fault& fault : faults) fault.hint += (fault.hint.empty() ? "" : "; ") + with;
}

}  // namespace

std::expected<std::vector<JobSpec>, std::vector<Fault>> ReadSpecs(const json::value& document,
                                                                  const Marks& marks) {
  Reading reading(marks);
  const BuiltIns nothing;
  const Cursor root{reading, document, {}, nothing};
  if (!document.is_object()) {
    root.Fault("a map of keys and values, such as \"run: train.py\"");
    return std::unexpected(reading.TakeFaults());
  }
  ReadVariables(root);
  const Sweep sweep(root);
  CheckVariables(root);
  std::vector<JobSpec> specs;
  for (int64_t index = 0; index < sweep.Count(); ++index) {
    const Pairs values = sweep.Combination(index);
    specs.push_back(ReadJob(root, sweep, values));
    if (!reading.HasFaults()) continue;
    auto faults = reading.TakeFaults();
    if (index > 0) NameCombination(faults, values);
    return std::unexpected(std::move(faults));
  }
  CheckPublishedPlaces(root, specs);
  if (reading.HasFaults()) return std::unexpected(reading.TakeFaults());
  return specs;
}

}  // namespace muster
