// Where to meet: addresses, ports and interfaces that are written down.
#include <array>
#include <optional>

#include "base/text.h"
#include "checkup/rules.h"

namespace muster::checkup {
namespace {

// Names under which ranks find each other: a literal there is wrong on every other machine.
constexpr std::array<std::string_view, 14> kMeetingNames{"cluster_node_ips",
                                                         "node_ip",
                                                         "ips",
                                                         "master",
                                                         "master_addr",
                                                         "master_address",
                                                         "init_method",
                                                         "rdzv_endpoint",
                                                         "ms_sched_host",
                                                         "ms_worker_ip",
                                                         "paddle_master",
                                                         "pod_ip",
                                                         "hosts",
                                                         "coordinator_address"};
constexpr std::array<std::string_view, 7> kInterfaceNames{
    "network_interface", "nccl_socket_ifname", "gloo_socket_ifname", "hccl_socket_ifname",
    "tp_socket_ifname",  "horovod_gloo_iface", "btl_tcp_if_include"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

struct Address {
  size_t begin;
  size_t end;
  bool everywhere;  // 127.x.x.x, 0.0.0.0 and netmasks mean the same on every machine
};

// Four numbers up to 255 with dots between, standing alone from `at` on.
std::optional<Address> AddressAt(std::string_view text, size_t at) {
  size_t end = at;
  std::array<int64_t, 4> parts{};
  for (size_t part = 0; part < parts.size(); ++part) {
    if (part > 0 && (end >= text.size() || text[end++] != '.')) return std::nullopt;
    const size_t begin = end;
    while (end < text.size() && IsDigit(text[end]) && end - begin < 4) ++end;
    const auto number = ParseInt(text.substr(begin, end - begin));
    if (!number || *number > 255) return std::nullopt;
    parts[part] = *number;
  }
  if (end < text.size() && (text[end] == '.' || IsDigit(text[end]))) return std::nullopt;
  const bool everywhere = parts[0] == 127 || parts[0] == 0 || parts[0] == 255;
  return Address{at, end, everywhere};
}

std::optional<Address> FindAddress(std::string_view text, size_t from = 0) {
  for (size_t at = from; at < text.size(); ++at) {
    if (!IsDigit(text[at])) continue;
    const char before = at > 0 ? text[at - 1] : ' ';
    const bool inside = IsDigit(before) || before == '.' || before == '_' || before == '-' ||
                        (before | 32) == 'v' || (at > 1 && text.substr(at - 2, 2) == "==");
    if (inside) continue;
    if (const auto address = AddressAt(text, at)) return address;
  }
  return std::nullopt;
}

bool NamesForeignAddress(std::string_view text) {
  for (auto found = FindAddress(text); found; found = FindAddress(text, found->end))
    if (!found->everywhere) return true;
  return false;
}

// A port behind an address or localhost: "127.0.0.1:29500".
bool NamesEndpoint(std::string_view value) {
  const size_t local = value.find("localhost:");
  const auto address = FindAddress(value);
  size_t colon = local != std::string_view::npos ? local + 9
                 : address                       ? address->end
                                                 : value.size();
  if (colon + 1 >= value.size() || value[colon] != ':') return false;
  return IsDigit(value[colon + 1]) && value[colon + 1] != '0';
}

bool IsPortName(std::string_view name) { return name == "port" || name.ends_with("_port"); }

bool IsPort(const Setting& setting) {
  const auto number = setting.Number();
  return IsPortName(setting.name) && number && *number > 0 && *number < 65536;
}

void CheckSetting(const Setting& setting, Findings& findings) {
  const bool meets = IsOneOf(setting.name, kMeetingNames);
  if (meets && NamesForeignAddress(setting.value)) {
    Finding finding = Found(Fault::kFixedAddress, setting.line, setting.said);
    finding.grade = Grade::kFail;
    findings.push_back(std::move(finding));
  }
  if (IsPort(setting) || (meets && NamesEndpoint(setting.value)))
    findings.push_back(Found(Fault::kFixedPort, setting.line, setting.said));
  const std::string_view value = setting.value;
  const bool literal =
      !value.empty() && value != "lo" && value[0] != '$' && value[0] != '^' && !value.contains('(');
  if (IsOneOf(setting.name, kInterfaceNames) && literal)
    findings.push_back(Found(Fault::kFixedInterface, setting.line, setting.said));
}

}  // namespace

void CheckNetwork(const Reading& reading, Findings& findings) {
  for (const Setting& setting : reading.settings) CheckSetting(setting, findings);
  for (const ShellCommand& command : reading.commands)
    for (const std::string& word : command.words)
      if (NamesForeignAddress(word))
        findings.push_back(Found(Fault::kFixedAddress, command.line, command.Text()));
  for (const Statement& statement : reading.statements)
    if (NamesForeignAddress(statement.text))
      findings.push_back(Found(Fault::kFixedAddress, statement.line, statement.text));
}

}  // namespace muster::checkup
