#include "cli/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

const std::string* Find(const Pairs& pairs, std::string_view name) {
  for (const auto& pair : pairs)
    if (pair.first == name) return &pair.second;
  return nullptr;
}

void AddNames(const Pairs& pairs, std::vector<std::string>& names) {
  for (const auto& pair : pairs)
    if (std::ranges::find(names, pair.first) == names.end()) names.push_back(pair.first);
}

}  // namespace

std::string CompareText(const Screen& screen, const std::string& group,
                        const std::vector<JobView>& jobs) {
  std::vector<std::string> swept, measured;
  for (const JobView& job : jobs) {
    if (job.spec) AddNames(job.spec->sweep_values, swept);
    AddNames(job.progress_values, measured);
  }
  std::vector<Column> columns{{"ID", true}};
  for (const std::string& name : swept) columns.push_back({Printable(name), true});
  columns.push_back({"STATE"});
  for (const std::string& name : measured) columns.push_back({Printable(name), true});
  columns.push_back({"REMARK"});
  Table table(columns);
  size_t over = 0;
  for (const JobView& job : jobs) {
    if (job.IsOver()) ++over;
    std::vector<Cell> row{std::to_string(job.id)};
    const auto add = [&](const std::string* value) { row.emplace_back(value ? *value : "-"); };
    for (const std::string& name : swept)
      add(job.spec ? Find(job.spec->sweep_values, name) : nullptr);
    row.emplace_back(job.state, StatePaint(job.state));
    for (const std::string& name : measured) add(Find(job.progress_values, name));
    row.emplace_back(job.reason);
    table.Add(std::move(row));
  }
  return fmt::format("group {}: {}, {} over\n{}", Printable(group),
                     Counted(int64_t(jobs.size()), "job"), over, table.Render(screen));
}

}  // namespace muster::cli
