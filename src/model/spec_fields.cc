#include "model/spec_fields.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "model/destination.h"
#include "model/env_entries.h"
#include "model/scalar.h"
#include "model/source.h"
#include "model/store_access.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr int64_t kSecond = 1000;
constexpr int64_t kDay = 24 * 3600 * kSecond;
constexpr size_t kMaxRoles = 16;  // each may inherit the whole job

constexpr std::array<std::string_view, 2> kRetryModes = {"continue", "fresh"};
constexpr std::array<std::string_view, 3> kWorkdirs = {"node", "rank", "job"};

constexpr std::array<std::string_view, 5> kTableForms = {"lab", "cloud", "1.0", "1.1", "1.2"};

const WordRule kVersionRule = {"0-9", "0-9.", 16, "a version such as 1.8.5"};
const WordRule kStartRule = {"a-z", "a-z0-9_", 16, "a way to start, such as auto"};
const WordRule kInterfaceRule = {"A-Za-z0-9", "A-Za-z0-9_.:@-", 15,
                                 "a network interface such as eth0"};
const Entries kEnvValues{kEnvRule, EntryValue::kScalar, UnknownName::kKeep};
const WordRule kHashRule = {"0-9a-f", "0-9a-f", 128, "a hash in hexadecimal digits"};

// The default in the schema is the initial value of the member.
json::value DefaultOf(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}
json::value DefaultOf(int number) { return number; }
json::value DefaultOf(bool truth) { return truth; }
json::value DefaultOf(int64_t ms) { return json::string(fmt::format("{}s", ms / kSecond)); }
template <typename V>
json::value DefaultOf(const V&) {
  return nullptr;
}

// A field whose value is stored in one member.
template <typename T, typename Type, typename Member>
Field<T> Into(std::string_view key, std::string_view summary, Type type, Member member,
              Stage stage = Stage::kRest) {
  json::object schema = type.Schema();
  const json::value fallback = DefaultOf(T{}.*member);
  if (!fallback.is_null()) schema["default"] = fallback;
  const auto read = [type, member](const Cursor& at, Stage, T& target) {
    using V = std::remove_cvref_t<decltype(target.*member)>;
    if (auto value = type.Read(at)) target.*member = V(*value);
  };
  return {key, summary, std::move(schema), read, {stage}};
}

// A map inside the job whose members are stored in the same target.
Field<JobDraft> Section(std::string_view key, std::string_view summary, Fields<JobDraft> fields,
                        Stage stage = Stage::kRest) {
  json::object schema = TableSchema(fields);
  schema["type"] = json::array{"object", "null"};
  const auto read = [fields](const Cursor& at, Stage, JobDraft& job) {
    ReadFields(at, fields, std::nullopt, job);
  };
  return {key, summary, std::move(schema), read, {stage}};
}

template <typename T>
Fields<T> SizeFields() {
  return {Into<T>("nodes", "How many nodes.", WholeNumber{1, 10'000}, &T::nodes, Stage::kSizes),
          Into<T>("devices", "Devices on each node, as KIND:COUNT.", Devices{}, &T::devices,
                  Stage::kSizes),
          Into<T>("ranks", "Processes on each node; as many as devices unless said otherwise.",
                  WholeNumber{1, 1024}, &T::ranks, Stage::kSizes)};
}

// Later entries replace earlier ones with the same name in place.
void Merge(Pairs& pairs, const Pairs& others) {
  std::map<std::string, size_t, std::less<>> places;
  for (size_t i = 0; i < pairs.size(); ++i) places.emplace(pairs[i].first, i);
  for (const auto& pair : others) {
    const auto [place, is_new] = places.emplace(pair.first, pairs.size());
    is_new ? pairs.push_back(pair) : void(pairs[place->second] = pair);
  }
}

// Fields of the job that roles inherit and override: the command and its words.
template <typename T, typename Type, typename Take>
Field<T> Work(std::string_view key, std::string_view summary, Type type, Take take) {
  const auto read = [type, take](const Cursor& at, Stage, T& target) {
    const auto one = [&](RoleDraft& draft) {
      if (auto value = type.Read(at.With(draft.built_ins))) take(draft.role, *value);
    };
    if constexpr (std::is_same_v<T, RoleDraft>) {
      one(target);
    } else {
      for (RoleDraft& draft : target.drafts) one(draft);
    }
  };
  return {key, summary, type.Schema(), read};
}

// A role has values of `env` only: what is taken from the shell is the same for all roles.
template <typename T, typename Env>
Fields<T> WorkFields(Env env) {
  return {Work<T>("run", "What to execute: a boot file such as train.py, a command, or its words.",
                  CommandLine{}, [](Role& role, const Command& run) { role.run = run; }),
          Work<T>("parameters", "Become --name=value after the command.",
                  Entries{kParameterRule, EntryValue::kScalarOrList},
                  [](Role& role, const Pairs& pairs) { Merge(role.parameters, pairs); }),
          Work<T>("env", "Environment variables of every rank.", env,
                  [](Role& role, const Pairs& pairs) { Merge(role.env, pairs); })};
}

Fields<RoleDraft> MakeRoleFields() {
  Fields<RoleDraft> fields = SizeFields<RoleDraft>();
  std::ranges::move(WorkFields<RoleDraft>(kEnvValues), std::back_inserter(fields));
  fields.push_back({"service",
                    "True for a role that is stopped when all the others have ended, as roles "
                    "named ps or pserver are by themselves.",
                    YesOrNo{}.Schema(), [](const Cursor& at, Stage, RoleDraft& draft) {
                      if (const auto service = YesOrNo{}.Read(at)) draft.role.service = *service;
                    }});
  return fields;
}

void StartRoles(const Cursor& at, const json::object& roles, JobDraft& job) {
  job.drafts.clear();
  for (const auto& member : roles) {
    const Cursor inner = at.At(member.value(), member.key());
    if (!kNameRule.Fits(member.key())) {
      at.reading.AddFault(inner.path, fmt::format("the role \"{}\"", ShortText(member.key())),
                          std::string(kNameRule.expected));
    }
    RoleDraft draft;
    draft.role.name = member.key();
    draft.role.service = ServesByName(draft.role.name);
    draft.path = inner.path;
    job.drafts.push_back(std::move(draft));
  }
}

void ReadRoles(const Cursor& at, Stage stage, JobDraft& job) {
  const auto* roles = at.value.if_object();
  if (roles == nullptr) return at.Fault("a map of roles, such as {ps: …, worker: …}");
  job.has_roles = true;
  if (roles->empty() || roles->size() > kMaxRoles) {
    return at.reading.AddFault(at.path, fmt::format("{} roles", roles->size()),
                               fmt::format("1 to {} roles", kMaxRoles));
  }
  if (stage == Stage::kSizes) StartRoles(at, *roles, job);
  size_t index = 0;
  for (const auto& member : *roles) {
    RoleDraft& draft = job.drafts[index++];
    const Cursor inner = at.At(member.value(), member.key()).With(draft.built_ins);
    if (!member.value().is_null()) ReadFields(inner, RoleFields(), stage, draft);
  }
}

Field<JobDraft> RolesField() {
  const json::object schema = {{"type", "object"},
                               {"minProperties", 1},
                               {"maxProperties", kMaxRoles},
                               {"propertyNames", json::object{{"pattern", kNameRule.Pattern()}}},
                               {"additionalProperties", TableSchema(RoleFields())}};
  return {"roles",
          "Several roles in one job, such as ps and worker, each with its own size and command.",
          schema,
          ReadRoles,
          {Stage::kSizes, Stage::kRest}};
}

// Read earlier by sweep.cc and spec_reader.cc; listed here for the schema and the keys.
Field<JobDraft> Beforehand(std::string_view key, std::string_view summary, json::object schema) {
  return {key, summary, std::move(schema), [](const Cursor&, Stage, JobDraft&) {}};
}

Field<JobDraft> InputsField() {
  const auto read = [](const Cursor& at, Stage, JobDraft& job) {
    auto sources = SourceEntries{}.Read(at);
    if (!sources) return;
    job.inputs = std::move(sources->places);
    // Applied before the parameters, which have precedence.
    for (RoleDraft& draft : job.drafts) Merge(draft.role.parameters, sources->urls);
  };
  return {
      "inputs",
      "Names and what they stand for: files and folders, or what is fetched from a bucket or an "
      "address before the ranks start.",
      SourceEntries{}.Schema(), read};
}

Field<JobDraft> OutputsField() {
  const auto read = [](const Cursor& at, Stage, JobDraft& job) {
    auto destinations = DestinationEntries{}.Read(at);
    if (!destinations) return;
    job.outputs = std::move(destinations->folders);
    job.published = std::move(destinations->published);
    for (RoleDraft& draft : job.drafts) Merge(draft.role.parameters, destinations->urls);
  };
  return {"outputs",
          "Names and where results go: folders, or buckets that they are published to at the end; "
          "nothing: the job's own folder.",
          DestinationEntries{}.Schema(), read};
}

Field<JobDraft> LogsField() {
  const auto read = [](const Cursor& at, Stage, JobDraft& job) {
    BuiltIns names = at.built_ins;
    names.job_id = kJobIdVariable;
    if (auto place = FolderOrBucket{}.Read(at.With(names))) job.logs = std::move(*place);
  };
  return {"logs", "A folder or bucket that logs are copied to while the job runs.",
          FolderOrBucket{}.Schema(), read};
}

Fields<JobDraft> IdentityFields() {
  return {
      Into<JobDraft>("name", "The job's name; made from the code folder or command if left out.",
                     Word{kNameRule}, &JobDraft::name, Stage::kName),
      Into<JobDraft>("framework", "Framework to launch for.", Choice{kFrameworks},
                     &JobDraft::framework),
      Into<JobDraft>("platform", "Platform whose variables, folders and way to start the job gets.",
                     Choice{kPlatforms}, &JobDraft::platform),
      Into<JobDraft>(
          "code",
          "A folder that is copied at submit, one in a bucket that every node fetches, or none; "
          "the command runs inside. Left out: the job file's folder, if the command names a file "
          "in it.",
          FolderOrBucket{}, &JobDraft::code),
      Into<JobDraft>("python", "The interpreter of .py files in front of the command.",
                     FreeText{"a Python interpreter such as python3"}, &JobDraft::python),
      InputsField(),
      OutputsField(),
      LogsField(),
      Into<JobDraft>(
          "store",
          "Places of the object store that the job's key may use besides inputs, code, "
          "outputs and logs. Left out: every bucket that the job file or its code names.",
          StoreAccessMap{}, &JobDraft::store),
      Into<JobDraft>("labels", "Labels to filter jobs by.",
                     Entries{kParameterRule, EntryValue::kScalar}, &JobDraft::labels)};
}

Fields<JobDraft> LifeFields() {
  return {
      Into<JobDraft>("after", "Starts after these jobs: an id, a list of ids, or {job, when}.",
                     AfterJobs{}, &JobDraft::after),
      Into<JobDraft>("priority", "Higher starts first.", WholeNumber{-1000, 1000},
                     &JobDraft::priority),
      Into<JobDraft>("preemptible", "May be stopped and queued again for a job of higher priority.",
                     YesOrNo{}, &JobDraft::preemptible),
      Into<JobDraft>("retries", "New attempts after a failed one.", WholeNumber{0, 100},
                     &JobDraft::retries),
      Into<JobDraft>("on_retry",
                     "What a later attempt starts from: continue: the working folder as the "
                     "attempt before left it; fresh: a new copy of the code.",
                     Choice{kRetryModes}, &JobDraft::on_retry),
      Section("limits", "What the job may use.",
              {Into<JobDraft>("time", "The longest an attempt may run.",
                              Duration{kSecond, 3660 * kDay}, &JobDraft::time_limit_ms),
               Section("warning", "A signal to every rank before the time is up.",
                       {Into<JobDraft>("signal", "Which one, or none.", Signal{},
                                       &JobDraft::warning_signal),
                        Into<JobDraft>("before", "How long before the limit.",
                                       Duration{0, 366 * kDay}, &JobDraft::warning_said_ms)})}),
      Section("stop", "How the job is stopped.",
              {Into<JobDraft>("grace", "Between TERM and KILL.", Duration{0, kDay},
                              &JobDraft::grace_ms)}),
      Into<JobDraft>("workdir",
                     "Who shares one working folder with a copy of the code: node: the ranks of a "
                     "node; rank: nobody, each rank has one; job: all ranks of the job.",
                     Choice{kWorkdirs}, &JobDraft::workdir)};
}

// The shell text of a hook.
Field<JobDraft> Hook(std::string_view key, std::string_view summary, std::string Hooks::* member) {
  const FreeText type{"shell text", UnknownName::kKeep};
  return {key, summary, type.Schema(), [type, member](const Cursor& at, Stage, JobDraft& job) {
            if (auto text = type.Read(at)) job.hooks.*member = *text;
          }};
}

Field<JobDraft> HooksField() {
  return Section(
      "hooks", "Shell commands that run once per node.",
      {Hook("setup", "Before the ranks; its failure is the job's failure.", &Hooks::setup),
       Hook("on_stop", "When a stop is requested, before the ranks get TERM.", &Hooks::on_stop),
       Hook("on_failure", "After a failed attempt, when its processes are gone.",
            &Hooks::on_failure)});
}

template <typename Type, typename Member>
Field<JobDraft> OfLaunch(std::string_view key, std::string_view summary, Type type, Member member) {
  return {key, summary, type.Schema(), [type, member](const Cursor& at, Stage, JobDraft& job) {
            if (auto value = type.Read(at)) job.launch.*member = *value;
          }};
}

Field<JobDraft> LaunchField() {
  const FreeText rule{"a rule such as 192.168.{d}.{1+s}"};
  return Section(
      "launch", "How the framework is started, where it knows several ways.",
      {OfLaunch("start", "auto, or one of the framework's own ways.", Word{kStartRule},
                &Launch::start),
       OfLaunch("version", "Of the framework; a current one unless said otherwise.",
                Word{kVersionRule}, &Launch::version),
       OfLaunch("rank_table", "The form of rank tables.", Choice{kTableForms}, &Launch::rank_table),
       OfLaunch("device_addresses", "Addresses of NPUs by server s and device d, for rank tables.",
                rule, &Launch::device_addresses),
       OfLaunch("interface", "The network interface that ranks meet over.", Word{kInterfaceRule},
                &Launch::interface),
       OfLaunch("timeout", "How long ranks wait for each other at the start.",
                Duration{kSecond, kDay}, &Launch::timeout_ms)});
}

Field<JobDraft> InternalField() {
  return Section(
      "muster", "Internal: what the server adds to the spec that it keeps.",
      {Into<JobDraft>("code_hash", "Snapshot of the code.", Word{kHashRule}, &JobDraft::code_hash),
       Section("shell", "The environment of the shell that submitted the job.",
               {Into<JobDraft>("env", "Its variables that the job takes.", kEnvValues,
                               &JobDraft::shell_env),
                Into<JobDraft>("folder", "Its current folder.",
                               FreeText{"a folder", UnknownName::kKeep}, &JobDraft::submit_dir)}),
       Into<JobDraft>("sweep_group", "The group of a sweep.", Word{kNameRule},
                      &JobDraft::sweep_group),
       Into<JobDraft>("sweep_values", "The swept names and this job's values.",
                      Entries{kParameterRule, EntryValue::kScalar}, &JobDraft::sweep_values)});
}

Fields<JobDraft> ResourceFields() {
  Fields<JobDraft> fields = SizeFields<JobDraft>();
  fields.push_back(Into<JobDraft>("memory", "Memory of each node, such as 16G.", ByteCount{},
                                  &JobDraft::memory, Stage::kSizes));
  return fields;
}

Fields<JobDraft> MakeJobFields() {
  const json::array scalars = {"string", "number", "boolean"};
  const json::object names = {{"pattern", kParameterRule.Pattern()}};
  Fields<JobDraft> fields = IdentityFields();
  fields.push_back(Section("resources", "The size of the job in its plain form.", ResourceFields(),
                           Stage::kSizes));
  std::ranges::move(WorkFields<JobDraft>(EnvEntries{}), std::back_inserter(fields));
  fields.push_back(RolesField());  // after the fields that roles inherit
  fields.push_back(Beforehand("variables", "Values for ${name} in other values.",
                              {{"type", json::array{"object", "null"}},
                               {"additionalProperties", json::object{{"type", scalars}}}}));
  fields.push_back(Beforehand(
      "sweep", "Names and lists of values: one job for each combination.",
      {{"type", json::array{"object", "null"}},
       {"propertyNames", names},
       {"additionalProperties",
        json::object{
            {"type", "array"}, {"minItems", 1}, {"items", json::object{{"type", scalars}}}}}}));
  std::ranges::move(LifeFields(), std::back_inserter(fields));
  fields.push_back(LaunchField());
  fields.push_back(HooksField());
  fields.push_back(InternalField());
  return fields;
}

}  // namespace

const Fields<JobDraft>& JobFields() {
  static const Fields<JobDraft> fields = MakeJobFields();
  return fields;
}

const Fields<RoleDraft>& RoleFields() {
  static const Fields<RoleDraft> fields = MakeRoleFields();
  return fields;
}

}  // namespace muster
