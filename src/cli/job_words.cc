#include "cli/job_words.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/job_list.h"
#include "cli/job_view.h"

namespace muster::cli {
namespace {

constexpr int64_t kMostJobs = 1'000'000;

Result<std::vector<JobId>> JobsOfGroup(Api& api, const std::string& group) {
  JobQuery query;
  query.group = group;
  MUSTER_ASSIGN(const auto rows, ListJobs(api, query, kMostJobs));
  if (rows.empty())
    return Fail(Code::kNotFound, fmt::format("there is no group {}", ShellQuote(Printable(group))),
                "muster ps -a lists the jobs with their ids and groups");
  std::vector<JobId> ids;
  for (const json::object& row : rows) ids.push_back(GetInt(row, "id"));
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

// What is no number; only digits are an id, also a wrong one.
bool IsGroupName(std::string_view word) {
  if (word.empty() || std::isalnum(static_cast<unsigned char>(word[0])) == 0) return false;
  return word.find_first_not_of("0123456789") != word.npos;
}

Result<std::vector<JobId>> FindJobs(Api& api, const std::vector<std::string>& words) {
  std::vector<JobId> ids;
  const auto add = [&ids](JobId id) {
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  };
  for (const std::string& word : words) {
    if (!IsGroupName(word)) {
      MUSTER_ASSIGN(const JobId id, ParseJobId(word));
      add(id);
      continue;
    }
    MUSTER_ASSIGN(const auto group, JobsOfGroup(api, word));
    for (const JobId id : group) add(id);
  }
  return ids;
}

}  // namespace muster::cli
