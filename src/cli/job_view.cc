#include "cli/job_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "model/pairs.h"
#include "model/spec_reader.h"
#include "model/states.h"

namespace muster::cli {
namespace {

VerdictView ReadVerdict(const json::object& verdict) {
  VerdictView view;
  view.headline = Printable(GetString(verdict, "headline"));
  view.cause = Printable(GetString(verdict, "cause"));
  view.rank = int(GetInt(verdict, "rank", -1));
  for (const std::string& line : WordsFromJson(GetArray(verdict, "evidence")))
    view.evidence.push_back(Printable(line));
  view.advice = Printable(GetString(verdict, "advice"));
  return view;
}

std::optional<JobSpec> ReadSpec(const json::object& job) {
  const json::object* document = GetObject(job, "spec");
  if (!document) return std::nullopt;
  auto specs = ReadSpecs(*document, Marks{});
  if (!specs || specs->size() != 1) return std::nullopt;
  return std::move(specs->front());
}

// All digits of a number; "nan" and "inf" come as text.
std::string NumberText(const json::value& value) {
  if (const double* number = value.if_double()) return fmt::format("{}", *number);
  if (const json::string* text = value.if_string()) return Printable(*text);
  return ToJson(value);
}

void ReadProgress(const json::object& progress, JobView& view) {
  view.progress = Printable(GetString(progress, "text"));
  if (const json::object* values = GetObject(progress, "values"))
    for (const auto& [name, value] : *values)
      view.progress_values.emplace_back(Printable(name), NumberText(value));
}

std::string ReadOrigin(const json::object& job) {
  const int64_t origin = GetInt(job, "derived_from");
  if (origin <= 0) return {};
  std::string text = fmt::format("job {}", origin);
  if (const json::object* changed = GetObject(job, "changed_parameters"))
    for (const auto& [name, value] : *changed)
      text += fmt::format("{}{}={}", text.contains(" with") ? " " : " with ", Printable(name),
                          NumberText(value));
  return text;
}

void ReadFolders(const json::object& folders, JobView& view) {
  view.folder = Printable(GetString(folders, "job"));
  view.logs = Printable(GetString(folders, "logs"));
  view.outputs = PairsFromJson(GetObject(folders, "outputs"));
}

}  // namespace

JobView ReadJob(const json::object& job) {
  JobView view;
  view.id = GetInt(job, "id");
  view.name = Printable(GetString(job, "name"));
  view.state = Printable(GetString(job, "state"));
  view.framework = Printable(GetString(job, "framework"));
  view.group = Printable(GetString(job, "group"));
  view.user = Printable(GetString(job, "user"));
  view.reason = Printable(GetString(job, "reason"));
  view.created_ms = GetInt(job, "created_ms");
  view.ended_ms = GetInt(job, "ended_ms");
  view.priority = int(GetInt(job, "priority"));
  view.spec = ReadSpec(job);
  if (const json::array* attempts = GetArray(job, "attempts"))
    for (const json::value& attempt : *attempts)
      if (const json::object* object = attempt.if_object())
        view.attempts.push_back(AttemptFromJson(*object));
  if (const json::object* verdict = GetObject(job, "verdict")) view.verdict = ReadVerdict(*verdict);
  if (const json::object* progress = GetObject(job, "progress")) ReadProgress(*progress, view);
  view.origin = ReadOrigin(job);
  if (const json::object* folders = GetObject(job, "folders")) ReadFolders(*folders, view);
  return view;
}

int JobView::FailingRank() const {
  if (state != "failed") return -1;
  if (verdict && verdict->rank >= 0) return verdict->rank;
  return last() && last()->cause ? last()->cause->rank : -1;
}

std::vector<std::string> JobView::EvidenceBeside(const std::vector<std::string>& shown) const {
  if (!verdict || verdict->evidence.empty()) return {};
  const bool has = std::ranges::find(shown, verdict->evidence.back()) != shown.end();
  return has ? std::vector<std::string>() : verdict->evidence;
}

std::vector<std::string> JobView::PublishNotes() const {
  std::vector<std::string> notes;
  if (last() == nullptr || !last()->publish) return notes;
  for (const std::string& note : last()->publish->notes) notes.push_back(Printable(note));
  return notes;
}

bool JobView::IsUnproven() const {
  return !IsOver() && last() != nullptr &&
         std::ranges::any_of(last()->nodes, [](const NodeStatus& node) {
           return !node.unproven.empty() && node.confirmed_by.empty();
         });
}

bool JobView::IsOver() const {
  const auto known = StateFromName(state);
  return known && IsTerminal(*known);
}

int JobView::Ranks() const {
  const int seen = last() ? int(last()->ranks.size()) : 0;
  return std::max({1, seen, spec ? spec->TotalRanks() : 0});
}

Paint StatePaint(std::string_view state) {
  if (state == "running" || state == "starting") return Paint::kBlue;
  if (state == "succeeded") return Paint::kGreen;
  if (state == "failed") return Paint::kRed;
  if (state == "stopping" || state == "stopped") return Paint::kYellow;
  return Paint::kPlain;
}

Result<JobId> ParseJobId(std::string_view word) {
  const auto id = ParseInt(word);
  if (!id || *id <= 0)
    return Fail(
        Code::kInvalid,
        fmt::format("found {}, expected the id of a job such as 17", ShellQuote(Printable(word))),
        "muster ps lists the ids");
  return *id;
}

Result<std::vector<JobId>> ParseJobIds(const std::vector<std::string>& words) {
  std::vector<JobId> ids;
  for (const std::string& word : words) {
    MUSTER_ASSIGN(const JobId id, ParseJobId(word));
    ids.push_back(id);
  }
  return ids;
}

std::string Headline(const JobView& job) {
  std::string why = job.reason;
  if (job.state == "failed") {
    if (job.verdict && !job.verdict->headline.empty()) {
      why = job.verdict->headline;
    } else if (job.last() && job.last()->cause) {
      why = Printable(job.last()->cause->what);
    }
  }
  if (why.starts_with(job.state + " ")) return fmt::format("job {} {}", job.id, why);
  return fmt::format("job {} {}{}{}", job.id, job.IsOver() ? job.state : "is " + job.state,
                     why.empty() ? "" : ": ", why);
}

}  // namespace muster::cli
