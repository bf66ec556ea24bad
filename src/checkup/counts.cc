// How many: devices, ranks and nodes that are written down.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

constexpr std::array<std::string_view, 9> kDeviceCounts{
    "nproc_per_node", "device_num", "local_worker_num", "ngpus",          "num_gpus",
    "n_gpus",         "num_npus",   "gpus_per_node",    "n_gpus_per_node"};
constexpr std::array<std::string_view, 9> kDeviceLists{"selected_gpus",
                                                       "selected_npus",
                                                       "gpus",
                                                       "npus",
                                                       "devices",
                                                       "cuda_visible_devices",
                                                       "ascend_rt_visible_devices",
                                                       "flags_selected_gpus",
                                                       "flags_selected_npus"};
constexpr std::array<std::string_view, 6> kWorldSizes{
    "rank_size", "world_size", "nnodes", "num_nodes", "paddle_trainers_num", "worker_num"};
constexpr std::array<std::string_view, 4> kMpiStarters{"mpirun", "mpiexec", "horovodrun",
                                                       "orterun"};
constexpr std::array<std::string_view, 4> kDeviceCalls{"set_device", "CUDAPlace", "NPUPlace",
                                                       "XPUPlace"};

// "0,1,2,3"
bool IsList(std::string_view value) {
  return value.contains(',') && value.find_first_not_of("0123456789, ") == std::string_view::npos;
}

void CheckStarter(const ShellCommand& command, Findings& findings) {
  if (!IsOneOf(command.Program(), kMpiStarters)) return;
  for (size_t at = command.ProgramAt(); at + 1 < command.words.size(); ++at) {
    const std::string_view word = command.words[at];
    if (word != "-np" && word != "-n" && word != "--np") continue;
    const auto count = ParseInt(command.words[at + 1]);
    if (count && *count > 1)
      findings.push_back(Found(Fault::kFixedWorldSize, command.line, command.Text()));
  }
}

// set_device(0) and its like: a literal for every rank.
void CheckFixedDevice(const Statement& statement, Findings& findings) {
  for (const std::string_view call : kDeviceCalls) {
    const size_t at = FindName(statement.code, call);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = std::string_view(statement.text).substr(at + call.size());
    const size_t close = rest.find(')');
    if (!rest.starts_with("(") || close == std::string_view::npos) continue;
    if (ParseInt(Trim(rest.substr(1, close - 1))))
      findings.push_back(Found(Fault::kFixedDevice, statement.line, statement.text));
  }
}

}  // namespace

void CheckCounts(const Reading& reading, Findings& findings) {
  for (const Setting& setting : reading.settings) {
    const auto number = setting.Number();
    const bool several = number && *number > 1;
    if ((several && IsOneOf(setting.name, kDeviceCounts)) ||
        (IsList(setting.value) && IsOneOf(setting.name, kDeviceLists)))
      findings.push_back(Found(Fault::kFixedDeviceCount, setting.line, setting.said));
    if (several && IsOneOf(setting.name, kWorldSizes))
      findings.push_back(Found(Fault::kFixedWorldSize, setting.line, setting.said));
    if (number && setting.name == "device_id" && setting.said.contains("set_context"))
      findings.push_back(Found(Fault::kFixedDevice, setting.line, setting.said));
  }
  for (const ShellCommand& command : reading.commands) CheckStarter(command, findings);
  for (const Statement& statement : reading.statements) CheckFixedDevice(statement, findings);
}

}  // namespace muster::checkup
