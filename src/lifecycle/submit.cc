#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/command.h"
#include "dialect/launcher_flags.h"
#include "lifecycle/conductor_impl.h"
#include "model/manifest.h"
#include "model/shell_env.h"
#include "model/source.h"
#include "model/variables.h"

namespace muster::lifecycle {
namespace {

Refusal Refused(std::vector<Fault> faults) {
  Refusal refusal;
  refusal.error.code = Code::kInvalid;
  refusal.error.text =
      faults.size() == 1
          ? "the job was refused: one thing in it is wrong"
          : fmt::format("the job was refused: {} things in it are wrong", faults.size());
  refusal.error.next = "correct what is listed and submit again; 'muster schema' has every key";
  refusal.faults = std::move(faults);
  return refusal;
}

// Names of variables mean those of a shell, and only its own process can read them.
void CheckEnv(json::value document, std::vector<Fault>& faults) {
  const EnvChoice choice = TakeEnvChoice(document.as_object());
  if (choice.names.empty()) return;
  faults.push_back({.path = "env",
                    .found = fmt::format("the name {} without a value", choice.names.front()),
                    .expected = "NAME=VALUE, or a map of names and values",
                    .hint = "'muster run' takes variables from its shell and sends their values"});
}

// A job that needs more memory than the machines have can never start.
void CheckMemory(const JobSpec& spec, const std::vector<NodeInfo>& nodes,
                 std::vector<Fault>& faults) {
  const std::string never = scheduler::MemoryFault(nodes, scheduler::DemandOf(spec));
  if (never.empty()) return;
  faults.push_back({.path = "resources.memory",
                    .found = spec.TotalNodes() == 1
                                 ? HumanSize(*spec.memory)
                                 : fmt::format("{} on each of {} nodes", HumanSize(*spec.memory),
                                               spec.TotalNodes()),
                    .expected = never,
                    .hint = "'muster nodes' shows the memory of each machine"});
}

// Nodes see the files of this machine. Each path is looked at once, however large a sweep is.
void CheckInputs(const std::vector<JobSpec>& specs, std::vector<Fault>& faults) {
  std::set<std::string> seen;
  for (const JobSpec& spec : specs) {
    for (const auto& [name, place] : spec.inputs) {
      if (IsFar(place) || !seen.insert(place).second) continue;
      const std::string path = dialect::PlainPath(place);
      if (::access(path.c_str(), F_OK) == 0) continue;
      faults.push_back({.path = "inputs." + name,
                        .found = fmt::format("{}: {}", Printable(path), strerror(errno)),
                        .expected = "a file or folder that exists on the nodes"});
    }
  }
}

// A result that another job published into a folder is kept. Buckets are looked at before the ranks
// start.
void CheckResults(const std::vector<JobSpec>& specs, std::vector<Fault>& faults) {
  std::set<std::string> seen;
  for (const JobSpec& spec : specs) {
    for (const Publishing& output : spec.published) {
      const bool known = !IsFar(output.to) && !output.to.contains(kJobIdVariable);
      if (output.overwrite || !known || !seen.insert(output.to).second) continue;
      const os::Path file = os::Path(dialect::PlainPath(output.to)) / kManifestName;
      const auto text = os::ReadFile(file, kLongestManifest);
      if (!text && text.error().code != Code::kTooLarge) continue;
      const auto manifest = ReadManifestHead(text.value_or(""));
      if (!ProtectsItsPlace(manifest)) continue;
      faults.push_back({.path = "outputs." + output.name,
                        .found = Describe(manifest),
                        .expected = "another place, such as one with ${job_id} in its name, or "
                                    "overwrite: true (--overwrite)"});
    }
  }
}

void SetParameters(json::object& object, const json::object& parameters) {
  json::value& own = object["parameters"];
  if (!own.is_object()) own = json::object();
  for (const auto& [name, value] : parameters) own.as_object()[name] = value;
}

// The spec with other parameters, checked like a submitted one.
std::expected<std::vector<JobSpec>, std::vector<Fault>> WithParameters(
    JobSpec spec, const json::object& parameters) {
  if (parameters.empty()) return std::vector<JobSpec>{std::move(spec)};
  json::object document = ToJsonObject(spec);
  json::value* roles = document.if_contains("roles");
  if (roles != nullptr && roles->is_object()) {
    for (auto& [name, role] : roles->as_object())
      if (role.is_object()) SetParameters(role.as_object(), parameters);
  } else {
    SetParameters(document, parameters);
  }
  return ReadSpecs(document, Marks{});
}

}  // namespace

std::vector<Fault> FlagFaults(const JobSpec& spec) {
  std::vector<Fault> faults;
  for (dialect::FlagFault& fault : dialect::FindFlagFaults(spec))
    faults.push_back({.path = spec.roles.size() == 1 ? "run" : "roles." + fault.role + ".run",
                      .found = std::move(fault.found),
                      .expected = std::move(fault.expected),
                      .hint = std::move(fault.hint)});
  return faults;
}

void Conductor::Impl::Submit(SubmitRequest request, SubmitDone done) {
  auto specs = ReadSpecs(request.document, Marks{});
  if (!specs) return done(std::unexpected(Refused(std::move(specs).error())));
  for (JobSpec& spec : *specs) spec.code_hash = request.code_hash;
  if (!request.key.empty() && AnswerRepeated(request.key, *specs, done)) return;
  std::vector<Fault> faults;
  CheckEnv(request.document, faults);
  CheckMemory(specs->front(), parts.engine.Nodes(), faults);
  CheckSpecs(*specs, request, faults);
  if (!faults.empty()) return done(std::unexpected(Refused(std::move(faults))));
  Accept(std::move(*specs), request, {}, std::move(done));
}

// Whether every job of these was made from one of the specs. Jobs of a sweep may have been removed.
bool Conductor::Impl::MadeFrom(const std::vector<JobId>& ids,
                               const std::vector<JobSpec>& specs) const {
  return std::ranges::all_of(ids, [&](JobId id) {
    const auto live = jobs.find(id);
    auto job = live != jobs.end() ? Result<Job>(live->second.job) : Find(id);
    if (!job) return true;
    JobSpec made = std::move(job->spec);
    made.sweep_group.clear();
    return std::ranges::find(specs, made) != specs.end();
  });
}

// True when the key was used before: `done` has been or will be called with the earlier jobs, or
// with kConflict when they are of another request.
bool Conductor::Impl::AnswerRepeated(const std::string& key, const std::vector<JobSpec>& specs,
                                     SubmitDone& done) {
  const auto refuse = [&] {
    const Error error{Code::kConflict, "the idempotency key was used for another request",
                      "use a new key for each request, and the same one to send it again"};
    done(std::unexpected(Refusal{error, {}}));
    return true;
  };
  if (const auto flying = keys_in_flight.find(key); flying != keys_in_flight.end()) {
    std::vector<JobId> ids;
    for (const auto& [id, entry] : jobs)
      if (entry.job.key == key) ids.push_back(id);
    if (!MadeFrom(ids, specs)) return refuse();
    flying->second.push_back(std::move(done));
    return true;
  }
  auto found = parts.journal.FindKey(key);
  if (!found) {
    done(std::unexpected(Refusal{found.error(), {}}));
    return true;
  }
  if (!*found) return false;
  if (!MadeFrom((*found)->jobs, specs)) return refuse();
  done(SubmitResult{(*found)->jobs, (*found)->group, /*repeated=*/true});
  return true;
}

// Checks that only the server can make: the code was uploaded and dependencies exist.
void Conductor::Impl::CheckSpecs(std::vector<JobSpec>& specs, const SubmitRequest& request,
                                 std::vector<Fault>& faults) const {
  JobSpec& first = specs.front();
  if (!request.code_hash.empty() && !parts.code.Claim(request.code_hash)) {
    faults.push_back({.path = "code",
                      .found = fmt::format("snapshot {}", request.code_hash),
                      .expected = "a snapshot that was uploaded to this server"});
  } else if (request.code_hash.empty() && !first.code.empty() && !IsFar(first.code)) {
    faults.push_back({.path = "code",
                      .found = "no uploaded snapshot",
                      .expected = "the folder's snapshot, sent with the job",
                      .hint = "'muster run' uploads it"});
  }
  for (const AfterJob& after : first.after) {
    const auto job = Find(after.job);
    if (!job) {
      faults.push_back({.path = "after",
                        .found = fmt::format("job {}", after.job),
                        .expected = "a job that exists",
                        .hint = "'muster ps -a' lists them"});
    } else if (after.when == "succeeded" && IsTerminal(job->state) &&
               job->state != State::kSucceeded) {
      faults.push_back({.path = "after",
                        .found = fmt::format("job {}, which has {}", after.job, Name(job->state)),
                        .expected = "a job that can still succeed",
                        .hint = "write {job: ID, when: ended} to start whatever its end was"});
    }
  }
  CheckInputs(specs, faults);
  CheckResults(specs, faults);
  for (Fault& fault : FlagFaults(first)) faults.push_back(std::move(fault));
}

// `submitted` is the data of the event that begins the life of each job.
void Conductor::Impl::Accept(std::vector<JobSpec> specs, const SubmitRequest& request,
                             json::object submitted, SubmitDone done) {
  std::vector<store::Op> ops;
  SubmitResult result;
  const bool sweep = specs.size() > 1 || !specs.front().sweep_values.empty();
  if (const auto never =
          scheduler::NeverFits(parts.engine.Nodes(), scheduler::DemandOf(specs.front())))
    result.warning = NeverText(*never);
  if (sweep) result.group = fmt::format("sweep-{}", next_id);
  for (JobSpec& spec : specs) {
    const JobId id = next_id++;
    Live& entry = jobs[id];
    entry.job.id = id;
    entry.job.spec = std::move(spec);
    entry.job.spec.sweep_group = result.group;
    entry.job.group = result.group;
    entry.job.key = request.key;
    entry.job.user = request.user;
    entry.job.created_ms = Now();
    ops.push_back(store::PutJob{entry.job});
    submitted["name"] = entry.job.spec.name;
    submitted["user"] = request.user;
    ops.push_back(EventOp(entry, "submitted", submitted));
    result.jobs.push_back(id);
  }
  if (!request.key.empty()) keys_in_flight[request.key];
  TryCommit(std::move(ops), [this, key = request.key, result, done](Status status) {
    std::vector<SubmitDone> others;
    if (!key.empty()) others = std::move(keys_in_flight.extract(key).mapped());
    if (!status) {
      for (JobId id : result.jobs) jobs.erase(id);
      const Refusal refusal{status.error(), {}};
      done(std::unexpected(refusal));
      for (auto& other : others) other(std::unexpected(refusal));
      return;
    }
    Accepted(result.jobs);
    done(result);
    SubmitResult repeated = result;
    repeated.repeated = true;
    for (auto& other : others) other(repeated);
  });
}

void Conductor::Impl::Accepted(const std::vector<JobId>& ids) {
  for (JobId id : ids)
    if (const auto found = jobs.find(id); found != jobs.end()) EnqueueOrWait(found->second);
}

void Conductor::Impl::Rerun(JobId id, const std::string& key, const std::string& user,
                            const json::object& parameters, SubmitDone done) {
  auto job = Find(id);
  if (!job) return done(std::unexpected(Refusal{job.error(), {}}));
  JobSpec spec = std::move(job->spec);
  spec.sweep_group.clear();
  spec.sweep_values.clear();
  spec.after.clear();  // the jobs that it waited for are over, or it ran without them
  SubmitRequest request{.document = nullptr, .code_hash = spec.code_hash, .key = key, .user = user};
  auto specs = WithParameters(std::move(spec), parameters);
  if (!specs) return done(std::unexpected(Refused(std::move(specs).error())));
  if (!key.empty() && AnswerRepeated(key, *specs, done)) return;
  std::vector<Fault> faults;
  CheckSpecs(*specs, request, faults);
  if (!faults.empty()) return done(std::unexpected(Refused(std::move(faults))));
  json::object submitted{{"derived_from", id}};
  if (!parameters.empty()) submitted["parameters"] = parameters;
  Accept(*std::move(specs), request, std::move(submitted), std::move(done));
}

}  // namespace muster::lifecycle
