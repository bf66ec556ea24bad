#include "dialect/rank_table.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::dialect {

namespace {

struct FormRow {
  std::string_view name;
  TableForm form;
};
// The first name of a form is the canonical one; the others are aliases.
constexpr std::array<FormRow, 8> kForms{{{"lab", TableForm::kLab},
                                         {"cloud", TableForm::kCloud},
                                         {"1.0", TableForm::kPlain},
                                         {"1.1", TableForm::kHosts},
                                         {"1.2", TableForm::kSuperPod},
                                         {"group", TableForm::kLab},
                                         {"v0", TableForm::kCloud},
                                         {"0.1", TableForm::kCloud}}};

}  // namespace

std::string_view FormName(TableForm form) {
  return std::ranges::find(kForms, form, &FormRow::form)->name;
}

Result<TableForm> ParseForm(std::string_view name) {
  const auto found = std::ranges::find(kForms, name, &FormRow::name);
  if (found != kForms.end()) return found->form;
  return Fail(Code::kInvalid,
              fmt::format("\"{}\" is no form of a rank table that can be written", Printable(name)),
              "use lab, cloud, 1.0, 1.1 or 1.2");
}

int RankTable::DeviceCount() const {
  int count = 0;
  for (const TableServer& server : servers) count += int(server.devices.size());
  return count;
}

std::string FaultLine(const TableFault& fault) {
  return fault.path.empty() ? fault.text : fmt::format("{}: {}", fault.path, fault.text);
}

bool TableReading::Usable() const {
  return std::ranges::all_of(faults, [](const TableFault& fault) { return fault.warning; });
}

}  // namespace muster::dialect
