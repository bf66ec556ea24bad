#include <algorithm>

#include <fmt/format.h>

#include "dialect/rank_table.h"

namespace muster::dialect {

namespace {

constexpr int kLabCards = 8;  // interfaces of a server in the lab form
constexpr std::string_view kDefaultPort = "16666";

std::string Text(size_t number) { return fmt::format("{}", number); }

void PutMore(json::object& object, const Pairs& more) {
  for (const auto& [key, value] : more) object[key] = value;
}

// The number of servers; several pods may be on one.
size_t DistinctServers(const RankTable& table) {
  std::vector<std::string_view> ids;
  for (const TableServer& server : table.servers) ids.emplace_back(server.id);
  std::ranges::sort(ids);
  return size_t(std::ranges::unique(ids).begin() - ids.begin());
}

json::object AddressOf(const TableDevice& device) {
  return {{"device_id", Text(size_t(device.id))}, {"device_ip", device.ip}};
}

json::object LabForm(const RankTable& table) {
  json::array instances, interfaces;
  for (const TableServer& server : table.servers) {
    for (const TableDevice& device : server.devices) {
      instances.push_back(json::object{{"devices", json::array{AddressOf(device)}},
                                       {"rank_id", fmt::format("{}", device.rank)},
                                       {"server_id", server.id}});
    }
  }
  for (int i = 0; i < kLabCards; ++i) interfaces.emplace_back(fmt::format("eth{}", i));
  json::object group{{"device_num", Text(instances.size())},
                     {"server_num", Text(DistinctServers(table))},
                     {"group_name", table.group},
                     {"instance_count", Text(instances.size())}};
  group["instance_list"] = std::move(instances);
  return {{"board_id", "0x0020"},
          {"chip_info", "910"},
          {"deploy_mode", "lab"},
          {"group_count", "1"},
          {"group_list", json::array{std::move(group)}},
          {"para_plane_nic_location", "device"},
          {"para_plane_nic_name", std::move(interfaces)},
          {"para_plane_nic_num", Text(kLabCards)},
          {"status", table.status}};
}

json::object CloudForm(const RankTable& table) {
  json::array instances;
  for (const TableServer& server : table.servers) {
    json::array devices;
    for (const TableDevice& device : server.devices) devices.push_back(AddressOf(device));
    instances.push_back(json::object{
        {"pod_name", server.pod}, {"server_id", server.id}, {"devices", std::move(devices)}});
  }
  json::object group{{"group_name", table.group},
                     {"device_count", Text(size_t(table.DeviceCount()))},
                     {"instance_count", Text(instances.size())}};
  group["instance_list"] = std::move(instances);
  return {{"status", table.status},
          {"group_count", "1"},
          {"group_list", json::array{std::move(group)}}};
}

json::object PlainServer(const TableServer& server, bool super_pod) {
  json::array devices;
  for (const TableDevice& device : server.devices) {
    json::object member = AddressOf(device);
    if (device.ip.empty()) member.erase("device_ip");
    if (super_pod) member["super_device_id"] = device.super_device_id;
    member["rank_id"] = fmt::format("{}", device.rank);
    PutMore(member, device.more);
    devices.push_back(std::move(member));
  }
  json::object object{{"server_id", server.id}, {"device", std::move(devices)}};
  PutMore(object, server.more);
  if (!object.contains("host_nic_ip")) object["host_nic_ip"] = "reserve";
  return object;
}

json::array SuperPods(const RankTable& table) {
  std::vector<std::pair<std::string_view, json::array>> pods;
  for (const TableServer& server : table.servers) {
    auto found = std::ranges::find(pods, std::string_view(server.super_pod),
                                   [](const auto& pod) { return pod.first; });
    if (found == pods.end()) found = pods.insert(pods.end(), {server.super_pod, {}});
    found->second.push_back(json::object{{"server_id", server.id}});
  }
  json::array list;
  for (auto& [id, servers] : pods) {
    list.push_back(json::object{{"super_pod_id", id}, {"server_list", std::move(servers)}});
  }
  return list;
}

json::object PlainForm(const RankTable& table) {
  const bool super_pod = table.form == TableForm::kSuperPod;
  json::array servers;
  for (const TableServer& server : table.servers) servers.push_back(PlainServer(server, super_pod));
  json::object object{{"version", FormName(table.form)},
                      {"server_count", Text(servers.size())},
                      {"server_list", std::move(servers)},
                      {"status", table.status}};
  if (super_pod) object["super_pod_list"] = SuperPods(table);
  return object;
}

json::object HostsForm(const RankTable& table) {
  json::array nodes;
  for (const TableServer& server : table.servers) {
    json::array ranks;
    for (const TableDevice& device : server.devices) {
      json::object member{{"rank_id", fmt::format("{}", device.rank)},
                          {"device_id", Text(size_t(device.id))},
                          {"rank_ip", device.ip}};
      PutMore(member, device.more);
      if (!member.contains("port")) member["port"] = kDefaultPort;
      ranks.push_back(std::move(member));
    }
    nodes.push_back(json::object{{"node_addr", server.id}, {"ranks", std::move(ranks)}});
  }
  return {{"version", FormName(table.form)},
          {"status", table.status},
          {"collective_id", table.group},
          {"node_list", std::move(nodes)}};
}

}  // namespace

json::object ToJsonObject(const RankTable& table) {
  switch (table.form) {
    case TableForm::kLab:
      return LabForm(table);
    case TableForm::kCloud:
      return CloudForm(table);
    case TableForm::kHosts:
      return HostsForm(table);
    case TableForm::kPlain:
    case TableForm::kSuperPod:
      break;
  }
  return PlainForm(table);
}

}  // namespace muster::dialect
