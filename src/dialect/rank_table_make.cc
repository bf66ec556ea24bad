#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

namespace {

// The number after the last '-' of a pod name, used for numbering; -1 if there is none.
int PodNumber(const std::string& pod) {
  const size_t dash = pod.rfind('-');
  if (dash == std::string::npos) return -1;
  return int(ParseInt(std::string_view(pod).substr(dash + 1)).value_or(-1));
}

// Merges pods on one server for forms without pods.
void JoinServers(std::vector<TableServer>& servers) {
  std::vector<TableServer> joined;
  std::map<std::string, size_t> places;
  for (TableServer& server : servers) {
    const auto [place, fresh] = places.emplace(server.id, joined.size());
    if (fresh) {
      joined.push_back(std::move(server));
    } else {
      std::ranges::move(server.devices, std::back_inserter(joined[place->second].devices));
    }
  }
  servers = std::move(joined);
}

void CountRanks(RankTable& table) {
  int next = 0;
  for (TableServer& server : table.servers) {
    for (TableDevice& device : server.devices) device.rank = next++;
  }
}

// Sorts by a number; stable for equal numbers.
template <typename Number>
void SortServers(RankTable& table, Number number) {
  std::vector<std::pair<int, size_t>> order;
  for (const TableServer& server : table.servers) order.emplace_back(number(server), order.size());
  std::ranges::sort(order);
  std::vector<TableServer> sorted;
  for (const auto& [ignored, index] : order) sorted.push_back(std::move(table.servers[index]));
  table.servers = std::move(sorted);
}

// The cloud form has no ranks: pods are numbered by name and devices by position.
void RankPods(RankTable& table) {
  SortServers(table, [](const TableServer& server) { return PodNumber(server.pod); });
  JoinServers(table.servers);
  CountRanks(table);
}

void SortByRank(RankTable& table) {
  for (TableServer& server : table.servers) {
    std::ranges::sort(server.devices, {}, &TableDevice::rank);
  }
  SortServers(table, [](const TableServer& server) {
    return server.devices.empty() ? 0 : server.devices.front().rank;
  });
}

void NamePods(RankTable& table) {
  for (size_t i = 0; i < table.servers.size(); ++i) {
    std::string& pod = table.servers[i].pod;
    if (pod.empty()) pod = fmt::format("worker-{}", i);
  }
}

// Numbers servers within each super-pod; existing ids are kept.
void FillSuperPods(RankTable& table) {
  std::vector<std::pair<std::string, int>> next;
  for (TableServer& server : table.servers) {
    if (server.super_pod.empty()) server.super_pod = "0";
    auto counter = std::ranges::find(next, server.super_pod, [](auto& pair) { return pair.first; });
    if (counter == next.end()) counter = next.insert(next.end(), {server.super_pod, 0});
    for (TableDevice& device : server.devices) {
      const int number = counter->second++;
      if (device.super_device_id.empty()) device.super_device_id = std::to_string(number);
    }
  }
}

// Further keys belong to the form in which they were read; 1.0 and 1.2 share theirs.
bool ShareKeys(TableForm a, TableForm b) {
  const auto plain = [](TableForm form) {
    return form == TableForm::kPlain || form == TableForm::kSuperPod;
  };
  return a == b || (plain(a) && plain(b));
}

void DropMore(RankTable& table) {
  for (TableServer& server : table.servers) {
    server.more.clear();
    for (TableDevice& device : server.devices) device.more.clear();
  }
}

Result<TableServer> ServerOf(const TableHost& host) {
  if (!host.addresses.empty() && host.addresses.size() != host.devices.size()) {
    return Fail(Code::kInvalid,
                fmt::format("server {} has {} devices and {} device addresses",
                            Printable(host.server), host.devices.size(), host.addresses.size()),
                "give one address a device, or none at all");
  }
  TableServer server;
  server.id = host.server;
  server.pod = host.pod;
  server.super_pod = host.super_pod;
  for (size_t i = 0; i < host.devices.size(); ++i) {
    TableDevice device;
    device.id = host.devices[i];
    if (!host.addresses.empty()) device.ip = host.addresses[i];
    server.devices.push_back(std::move(device));
  }
  return server;
}

}  // namespace

RankTable ConvertRankTable(RankTable table, TableForm form) {
  const TableForm from = std::exchange(table.form, form);
  if (!ShareKeys(from, form)) DropMore(table);
  if (from == TableForm::kCloud && form != TableForm::kCloud) RankPods(table);
  if (from != TableForm::kCloud) SortByRank(table);
  if (form == TableForm::kCloud) NamePods(table);
  if (form == TableForm::kSuperPod) FillSuperPods(table);
  return table;
}

Result<RankTable> MakeRankTable(std::span<const TableHost> hosts, TableForm form) {
  RankTable table;
  for (const TableHost& host : hosts) {
    MUSTER_ASSIGN(TableServer server, ServerOf(host));
    table.servers.push_back(std::move(server));
  }
  CountRanks(table);
  return ConvertRankTable(std::move(table), form);
}

Result<RankTable> MergeRankTables(std::span<const RankTable> tables) {
  RankTable merged;
  std::set<std::string> seen;
  for (const RankTable& table : tables) {
    if (&table == &tables.front()) {
      merged.form = table.form;
      merged.group = table.group;
    } else if (table.form != merged.form) {
      return Fail(Code::kInvalid,
                  fmt::format("tables of the forms {} and {} cannot be merged",
                              FormName(merged.form), FormName(table.form)),
                  "convert them to one form first: muster ranktable convert");
    }
    for (const TableServer& server : ConvertRankTable(table, table.form).servers) {
      const bool pods = table.form == TableForm::kCloud;
      if (!seen.insert(pods ? server.pod : server.id).second) {
        return Fail(Code::kInvalid,
                    fmt::format("{} {} is in two of the tables", pods ? "pod" : "server",
                                Printable(pods ? server.pod : server.id)),
                    "name each table once");
      }
      merged.servers.push_back(server);
    }
  }
  if (merged.form != TableForm::kCloud) CountRanks(merged);
  return merged;
}

}  // namespace muster::dialect
