#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/field.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr int64_t kNoMaximum = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxAfter = 1000;
constexpr std::array<std::string_view, 2> kWhens = {"succeeded", "ended"};

struct Draft {
  std::optional<int64_t> job;
  std::optional<std::string> when = AfterJob{}.when;
};

const Fields<Draft>& AfterFields() {
  static const Fields<Draft> fields = {
      {"job", "The id of a job.", WholeNumber{1, kNoMaximum}.Schema(),
       [](const Cursor& at, Stage, Draft& draft) {
         draft.job = WholeNumber{1, kNoMaximum}.Read(at);
       }},
      {"when", "Whether that job must have succeeded, or only ended.", Choice{kWhens}.Schema(),
       [](const Cursor& at, Stage, Draft& draft) { draft.when = Choice{kWhens}.Read(at); }}};
  return fields;
}

std::optional<AfterJob> ReadItem(const Cursor& at) {
  Draft draft;
  const auto* object = at.value.if_object();
  if (object == nullptr) {
    draft.job = WholeNumber{1, kNoMaximum}.Read(at);
  } else {
    ReadFields(at, AfterFields(), std::nullopt, draft);
    if (!object->contains("job")) at.reading.AddFault(at.path, "no job", "job: ID");
  }
  if (!draft.job || !draft.when) return std::nullopt;
  return AfterJob{.job = *draft.job, .when = *draft.when};
}

}  // namespace

std::optional<std::vector<AfterJob>> AfterJobs::Read(const Cursor& at) const {
  std::vector<AfterJob> jobs;
  const auto add = [&](const Cursor& item) {
    const auto after = ReadItem(item);
    if (!after) return;
    const auto same = [&](const AfterJob& other) { return other.job == after->job; };
    if (std::ranges::none_of(jobs, same)) return jobs.push_back(*after);
    at.reading.AddFault(item.path, fmt::format("job {} a second time", after->job),
                        "every job once");
  };
  const auto* list = at.value.if_array();
  if (list == nullptr) {
    add(at);
    return jobs;
  }
  if (list->size() > kMaxAfter) {
    at.reading.AddFault(at.path, fmt::format("{} jobs", list->size()),
                        fmt::format("at most {} jobs", kMaxAfter));
    return std::nullopt;
  }
  for (size_t i = 0; i < list->size(); ++i) add(at.Item((*list)[i], i));
  return jobs;
}

json::object AfterJobs::Schema() const {
  json::object item = TableSchema(AfterFields());
  item["required"] = json::array{"job"};
  const json::object one = {{"anyOf", json::array{WholeNumber{1, kNoMaximum}.Schema(), item}}};
  const json::object many = {{"type", "array"}, {"items", one}, {"maxItems", kMaxAfter}};
  return {{"anyOf", json::array{one, many}}};
}

}  // namespace muster
