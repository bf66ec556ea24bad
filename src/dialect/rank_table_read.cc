#include <array>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/rank_table.h"
#include "dialect/table_members.h"

namespace muster::dialect {

namespace {

using Keys = std::span<const std::string_view>;

constexpr int kMaxRank = 65'535;
constexpr int kMaxDevice = 63;    // above that of any server
constexpr int kMaxLabDevice = 7;  // a 910 server has eight devices
constexpr int kMaxPort = 65'535;
constexpr std::array<std::string_view, 9> kLabTop{"status",
                                                  "deploy_mode",
                                                  "group_count",
                                                  "group_list",
                                                  "para_plane_nic_location",
                                                  "board_id",
                                                  "chip_info",
                                                  "para_plane_nic_num",
                                                  "para_plane_nic_name"};
constexpr std::array<std::string_view, 3> kCloudTop{"status", "group_count", "group_list"};
constexpr std::array<std::string_view, 5> kLabGroup{"group_name", "device_num", "server_num",
                                                    "instance_count", "instance_list"};
constexpr std::array<std::string_view, 4> kCloudGroup{"group_name", "device_count",
                                                      "instance_count", "instance_list"};
constexpr std::array<std::string_view, 3> kLabInstance{"rank_id", "server_id", "devices"};
constexpr std::array<std::string_view, 3> kCloudInstance{"pod_name", "server_id", "devices"};
constexpr std::array<std::string_view, 2> kAddress{"device_id", "device_ip"};
constexpr std::array<std::string_view, 5> kPlainTop{"version", "status", "server_count",
                                                    "server_list", "super_pod_list"};
constexpr std::array<std::string_view, 2> kPlainServer{"server_id", "device"};
constexpr std::array<std::string_view, 4> kPlainServerMore{"host_ip", "host_nic_ip", "container_ip",
                                                           "hardware_type"};
constexpr std::array<std::string_view, 4> kPlainDevice{"device_id", "device_ip", "rank_id",
                                                       "super_device_id"};
constexpr std::array<std::string_view, 6> kPlainDeviceMore{"device_port",        "host_port",
                                                           "backup_device_port", "backup_device_ip",
                                                           "net_position",       "net_protocol"};
constexpr std::array<std::string_view, 3> kPorts{"device_port", "host_port", "backup_device_port"};
constexpr std::array<std::string_view, 5> kHostsTop{"version", "status", "collective_id",
                                                    "node_list", "mode"};
constexpr std::array<std::string_view, 2> kHostsNode{"node_addr", "ranks"};
constexpr std::array<std::string_view, 4> kHostsRank{"rank_id", "device_id", "port", "rank_ip"};
constexpr size_t kLongestCollective = 127;

class Reader {
 public:
  Reader(RankTable& table, std::vector<TableFault>& faults) : table_(table), members_(faults) {}

  void Read(const json::value& document) {
    const json::object* top = members_.Object(document, "");
    if (top == nullptr) return;
    ReadStatus(*top);
    if (!top->contains("version")) {
      table_.form = top->contains("deploy_mode") ? TableForm::kLab : TableForm::kCloud;
      return ReadGroups(*top);
    }
    const auto version = members_.Text(*top, "", "version");
    if (!version) return;
    if (*version == "1.1") return ReadHosts(*top);
    if (*version == "1.0" || *version == "1.2") return ReadPlain(*top, *version == "1.2");
    RefuseVersion(*version);
  }

 private:
  void RefuseVersion(const std::string& version) {
    members_.Fault("version",
                   version == "2.0"
                       ? "a 2.0 table describes the wiring of an Ascend 950 and is made by that "
                         "node's own tools; 1.0, 1.1, 1.2 and the group forms are checked here"
                       : fmt::format("found \"{}\", expected 1.0, 1.1 or 1.2, or no version for "
                                     "the group forms",
                                     Printable(version)));
  }

  void ReadStatus(const json::object& top) {
    const auto status = members_.Text(top, "", "status");
    if (!status) return;
    table_.status = *status;
    if (*status == "completed") return;
    members_.Fault("status", fmt::format("found \"{}\", expected \"completed\": HCCL waits up to "
                                         "1800 s for that word",
                                         Printable(*status)));
  }

  // --- the group forms

  void ReadGroups(const json::object& top) {
    const bool lab = table_.form == TableForm::kLab;
    members_.More(top, "", lab ? Keys(kLabTop) : Keys(kCloudTop), {});
    if (lab) ReadLocation(top);
    const json::array* groups = members_.List(top, "", "group_list");
    if (groups == nullptr) return;
    members_.Count(top, "", "group_count", groups->size(), "groups");
    if (groups->size() > 1) {
      return members_.Fault(
          "group_list",
          fmt::format("found {} groups, expected the one of the whole job", groups->size()));
    }
    const std::string path = "group_list[0]";
    if (const json::object* group = members_.Object(groups->front(), path)) {
      ReadGroup(*group, path, lab);
    }
  }

  void ReadLocation(const json::object& top) {
    const auto location = members_.Text(top, "", "para_plane_nic_location");
    if (location && *location != "device") {
      members_.Fault("para_plane_nic_location",
                     fmt::format("found \"{}\", expected \"device\"", Printable(*location)));
    }
  }

  void ReadGroup(const json::object& group, const std::string& path, bool lab) {
    members_.More(group, path, lab ? Keys(kLabGroup) : Keys(kCloudGroup), {});
    table_.group = members_.Text(group, path, "group_name").value_or("");
    const json::array* instances = members_.List(group, path, "instance_list");
    if (instances == nullptr) return;
    members_.Count(group, path, "instance_count", instances->size(), "instances");
    for (size_t i = 0; i < instances->size(); ++i) {
      const std::string at = Below(path, "instance_list", i);
      const json::object* instance = members_.Object((*instances)[i], at);
      if (instance != nullptr) lab ? ReadLabInstance(*instance, at) : ReadPod(*instance, at);
    }
    members_.Count(group, path, lab ? "device_num" : "device_count", size_t(table_.DeviceCount()),
                   "devices");
    if (lab) members_.Count(group, path, "server_num", table_.servers.size(), "servers");
  }

  void ReadLabInstance(const json::object& instance, const std::string& at) {
    members_.More(instance, at, kLabInstance, {});
    const auto server = ServerId(instance, at, "server_id");
    const auto rank = members_.Number(instance, at, "rank_id", 0, kMaxRank);
    const json::array* devices = members_.List(instance, at, "devices");
    if (devices == nullptr || !server) return;
    if (devices->size() > 1) {
      return members_.Fault(Below(at, "devices"),
                            fmt::format("found {} devices, expected 1: the lab form has an "
                                        "instance for each device",
                                        devices->size()));
    }
    const auto [place, fresh] = places_.emplace(*server, table_.servers.size());
    if (fresh) table_.servers.push_back({.id = *server, .at = at});
    auto& list = table_.servers[place->second].devices;
    list.push_back(ReadAddress(devices->front(), Below(at, "devices", 0), kMaxLabDevice));
    list.back().rank = rank.value_or(-1);
    list.back().at = at;
  }

  void ReadPod(const json::object& instance, const std::string& at) {
    members_.More(instance, at, kCloudInstance, {});
    TableServer server{.at = at};
    server.pod = members_.Text(instance, at, "pod_name").value_or("");
    server.id = ServerId(instance, at, "server_id").value_or("");
    if (const json::array* devices = members_.List(instance, at, "devices")) {
      for (size_t i = 0; i < devices->size(); ++i) {
        server.devices.push_back(ReadAddress((*devices)[i], Below(at, "devices", i), kMaxDevice));
      }
    }
    table_.servers.push_back(std::move(server));
  }

  // {"device_id": "0", "device_ip": "…"}; the address may be empty, but the key is required.
  TableDevice ReadAddress(const json::value& value, const std::string& at, int largest) {
    TableDevice device{.at = at};
    const json::object* object = members_.Object(value, at);
    if (object == nullptr) return device;
    members_.More(*object, at, kAddress, {});
    device.id = members_.Number(*object, at, "device_id", 0, largest).value_or(-1);
    device.ip = members_.Text(*object, at, "device_ip").value_or("");
    return device;
  }

  // --- 1.0 and 1.2

  void ReadPlain(const json::object& top, bool super_pods) {
    table_.form = super_pods ? TableForm::kSuperPod : TableForm::kPlain;
    members_.More(top, "", Keys(kPlainTop).first(super_pods ? 5 : 4), {});
    const json::array* servers = members_.List(top, "", "server_list");
    if (servers == nullptr) return;
    members_.Count(top, "", "server_count", servers->size(), "servers", false);
    for (size_t i = 0; i < servers->size(); ++i) {
      const std::string at = fmt::format("server_list[{}]", i);
      if (const json::object* server = members_.Object((*servers)[i], at)) {
        ReadPlainServer(*server, at);
      }
    }
    if (super_pods) ReadSuperPods(top);
  }

  void ReadPlainServer(const json::object& object, const std::string& at) {
    TableServer server{.at = at};
    server.id = ServerId(object, at, "server_id").value_or("");
    server.more = members_.More(object, at, kPlainServer, kPlainServerMore);
    const json::array* devices = members_.List(object, at, "device");
    if (devices == nullptr) return;
    for (size_t i = 0; i < devices->size(); ++i) {
      server.devices.push_back(ReadPlainDevice((*devices)[i], Below(at, "device", i)));
    }
    if (!places_.emplace(server.id, table_.servers.size()).second) {
      members_.Fault(Below(at, "server_id"),
                     fmt::format("server {} stands twice, first in {}", Printable(server.id),
                                 table_.servers[places_[server.id]].at));
    }
    table_.servers.push_back(std::move(server));
  }

  TableDevice ReadPlainDevice(const json::value& value, const std::string& at) {
    TableDevice device{.at = at};
    const json::object* object = members_.Object(value, at);
    if (object == nullptr) return device;
    device.id = members_.Number(*object, at, "device_id", 0, kMaxDevice).value_or(-1);
    device.rank = members_.Number(*object, at, "rank_id", 0, kMaxRank).value_or(-1);
    device.ip = members_.TextIfThere(*object, at, "device_ip").value_or("");
    const bool super_pods = table_.form == TableForm::kSuperPod;
    if (super_pods) ReadSuperDevice(*object, at, device);
    device.more =
        members_.More(*object, at, Keys(kPlainDevice).first(super_pods ? 4 : 3), kPlainDeviceMore);
    for (const std::string_view port : kPorts) {
      if (object->contains(port)) members_.Number(*object, at, port, 1, kMaxPort);
    }
    return device;
  }

  void ReadSuperDevice(const json::object& object, const std::string& at, TableDevice& device) {
    const auto id = members_.Text(object, at, "super_device_id");
    if (!id) return;
    device.super_device_id = *id;
    if (!ParseInt(*id)) {
      members_.Fault(Below(at, "super_device_id"),
                     fmt::format("found \"{}\", expected a number", Printable(*id)));
    }
  }

  void ReadSuperPods(const json::object& top) {
    const json::array* pods = members_.List(top, "", "super_pod_list");
    if (pods == nullptr) return;
    std::map<std::string, std::string> seen;  // id -> where
    for (size_t i = 0; i < pods->size(); ++i) {
      const std::string at = fmt::format("super_pod_list[{}]", i);
      const json::object* pod = members_.Object((*pods)[i], at);
      if (pod == nullptr) continue;
      const auto id = members_.Text(*pod, at, "super_pod_id");
      const json::array* servers = members_.List(*pod, at, "server_list");
      if (!id || servers == nullptr) continue;
      if (id->empty() || id->size() > kLongestCollective) {
        members_.Fault(Below(at, "super_pod_id"), "expected 1 to 127 characters");
      } else if (const auto [first, fresh] = seen.emplace(*id, at); !fresh) {
        members_.Fault(
            Below(at, "super_pod_id"),
            fmt::format("super-pod {} stands twice, first in {}", Printable(*id), first->second));
      }
      for (size_t k = 0; k < servers->size(); ++k) {
        TakePodServer((*servers)[k], Below(at, "server_list", k), *id);
      }
    }
    for (const TableServer& server : table_.servers) {
      if (!server.super_pod.empty()) continue;
      members_.Fault(server.at, fmt::format("server {} is in no super-pod", Printable(server.id)));
    }
  }

  void TakePodServer(const json::value& value, const std::string& at, const std::string& pod) {
    const json::object* object = members_.Object(value, at);
    const auto id = object == nullptr ? std::nullopt : members_.Text(*object, at, "server_id");
    if (!id) return;
    const auto place = places_.find(*id);
    if (place == places_.end()) {
      return members_.Fault(Below(at, "server_id"),
                            fmt::format("server {} is not in server_list", Printable(*id)));
    }
    std::string& of = table_.servers[place->second].super_pod;
    if (of.empty()) {
      of = pod;
    } else {
      members_.Fault(Below(at, "server_id"), fmt::format("server {} is in super-pod {} already",
                                                         Printable(*id), Printable(of)));
    }
  }

  // --- 1.1

  void ReadHosts(const json::object& top) {
    table_.form = TableForm::kHosts;
    members_.More(top, "", kHostsTop, {});
    table_.group = members_.Text(top, "", "collective_id").value_or("");
    if (table_.group.size() > kLongestCollective) {
      members_.Fault("collective_id", "expected at most 127 characters");
    }
    if (top.contains("mode")) {
      const auto mode = members_.Text(top, "", "mode");
      if (mode && *mode != "tcp" && *mode != "rdma") {
        members_.Fault("mode", fmt::format("found \"{}\", expected tcp or rdma", Printable(*mode)));
      }
    }
    const json::array* nodes = members_.List(top, "", "node_list");
    if (nodes == nullptr) return;
    for (size_t i = 0; i < nodes->size(); ++i) {
      const std::string at = fmt::format("node_list[{}]", i);
      if (const json::object* node = members_.Object((*nodes)[i], at)) ReadNode(*node, at);
    }
  }

  void ReadNode(const json::object& node, const std::string& at) {
    members_.More(node, at, kHostsNode, {});
    TableServer server{.at = at};
    server.id = ServerId(node, at, "node_addr").value_or("");
    const json::array* ranks = members_.List(node, at, "ranks");
    if (ranks == nullptr) return;
    for (size_t i = 0; i < ranks->size(); ++i) {
      const std::string place = Below(at, "ranks", i);
      const json::object* rank = members_.Object((*ranks)[i], place);
      if (rank == nullptr) continue;
      members_.More(*rank, place, kHostsRank, {});
      TableDevice device{.at = place};
      device.rank = members_.Number(*rank, place, "rank_id", 0, kMaxRank).value_or(-1);
      device.id = members_.Number(*rank, place, "device_id", 0, kMaxDevice).value_or(-1);
      device.ip = members_.Text(*rank, place, "rank_ip").value_or("");
      const auto port = members_.Number(*rank, place, "port", 1, kMaxPort);
      if (port) device.more.emplace_back("port", std::to_string(*port));
      server.devices.push_back(std::move(device));
    }
    table_.servers.push_back(std::move(server));
  }

  std::optional<std::string> ServerId(const json::object& from, const std::string& at,
                                      std::string_view key) {
    constexpr size_t kLongest = 64;
    auto id = members_.Text(from, at, key);
    if (id && (id->empty() || id->size() > kLongest)) {
      members_.Fault(Below(at, key),
                     fmt::format("found {} characters, expected 1 to {}", id->size(), kLongest));
      return std::nullopt;
    }
    return id;
  }

  RankTable& table_;
  TableMembers members_;
  std::map<std::string, size_t> places_;  // server id -> index
};

}  // namespace

TableReading ReadRankTable(const json::value& document, const TableUse& use) {
  TableReading reading;
  Reader(reading.table, reading.faults).Read(document);
  // Rules on a partially parsed table would report false faults.
  if (reading.Usable()) CheckTableRules(reading.table, use, reading.faults);
  return reading;
}

}  // namespace muster::dialect
