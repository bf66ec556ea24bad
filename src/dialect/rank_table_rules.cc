#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "dialect/rank_table.h"
#include "dialect/table_members.h"

namespace muster::dialect {

namespace {

constexpr int kMostCards = 16;  // per server, in the rule of the lab form
constexpr int kChip910Cards = 8;

// AF_INET, AF_INET6, or 0 for an invalid address.
int FamilyOf(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1) return AF_INET;
  if (inet_pton(AF_INET6, text.c_str(), bytes) == 1) return AF_INET6;
  return 0;
}

class Rules {
 public:
  Rules(const RankTable& table, std::vector<TableFault>& faults)
      : table_(table), members_(faults) {}

  void Check(const TableUse& use) {
    CheckDeviceIds();
    if (table_.form == TableForm::kCloud) {
      CheckPods();
    } else {
      CheckRanks();
    }
    CheckShape();
    CheckAddresses();
    CheckHostAddresses();
    if (table_.form == TableForm::kSuperPod) CheckSuperPods();
    CheckUse(use);
  }

 private:
  std::string_view AddressKey() const {
    return table_.form == TableForm::kHosts ? "rank_ip" : "device_ip";
  }
  size_t Servers() const {
    std::set<std::string_view> ids;
    for (const TableServer& server : table_.servers) ids.insert(server.id);
    return ids.size();
  }

  void CheckDeviceIds() {
    std::map<std::pair<std::string_view, int>, std::string_view> seen;
    for (const TableServer& server : table_.servers) {
      for (const TableDevice& device : server.devices) {
        const auto [first, fresh] = seen.try_emplace({server.id, device.id}, device.at);
        if (fresh) continue;
        members_.Fault(device.at, fmt::format("device {} of server {} stands twice, first in {}",
                                              device.id, Printable(server.id), first->second));
      }
    }
  }

  void CheckPods() {
    std::map<std::string_view, std::string_view> seen;
    for (const TableServer& server : table_.servers) {
      if (server.pod.empty()) members_.Fault(Below(server.at, "pod_name"), "the name is empty");
      const auto [first, fresh] = seen.emplace(server.pod, server.at);
      if (fresh || server.pod.empty()) continue;
      members_.Fault(
          Below(server.at, "pod_name"),
          fmt::format("pod {} stands twice, first in {}", Printable(server.pod), first->second));
    }
    // HCCL sorts servers by the text of their ids, start scripts by the pod number.
    const auto wrong = std::ranges::adjacent_find(
        table_.servers, [](const auto& a, const auto& b) { return a.id > b.id; });
    if (wrong == table_.servers.end()) return;
    members_.Warn(Below(std::next(wrong)->at, "server_id"),
                  fmt::format("HCCL counts ranks by the text of server_id, where {} comes before "
                              "{}; by the order of the pods it comes after",
                              Printable(std::next(wrong)->id), Printable(wrong->id)));
  }

  void CheckRanks() {
    const int count = table_.DeviceCount();
    std::vector<const TableDevice*> owner(size_t(count), nullptr);
    bool doubled = false;
    for (const TableServer& server : table_.servers) {
      for (const TableDevice& device : server.devices) {
        if (device.rank >= count) {
          members_.Fault(Below(device.at, "rank_id"),
                         fmt::format("rank {} of a table of {} devices, expected 0 to {}",
                                     device.rank, count, count - 1));
          doubled = true;  // explains why another one is missing
          continue;
        }
        const TableDevice*& first = owner[size_t(device.rank)];
        if (first == nullptr) {
          first = &device;
          continue;
        }
        doubled = true;
        members_.Fault(Below(device.at, "rank_id"),
                       fmt::format("rank {} stands twice, first in {}", device.rank, first->at));
      }
    }
    if (!doubled) CheckOrder();
  }

  // Ranks of a server must be consecutive; a sorted order matters to people and scripts only.
  void CheckOrder() {
    int previous = -1;
    bool warned = false;
    for (const TableServer& server : table_.servers) {
      const auto [low, high] = std::ranges::minmax(server.devices, {}, &TableDevice::rank);
      if (high.rank - low.rank + 1 != int(server.devices.size())) {
        members_.Fault(server.at, fmt::format("the ranks {} to {} of server {} have ranks of other "
                                              "servers between them",
                                              low.rank, high.rank, Printable(server.id)));
      }
      for (const TableDevice& device : server.devices) {
        if (device.rank < previous && !warned) {
          members_.Warn(Below(device.at, "rank_id"),
                        fmt::format("rank {} stands behind rank {}; HCCL sorts them, scripts that "
                                    "read the table may not",
                                    device.rank, previous));
          warned = true;
        }
        previous = device.rank;
      }
    }
  }

  // Checks the numbers of devices per server.
  void CheckShape() {
    if (table_.form == TableForm::kLab) {
      const int servers = int(table_.servers.size()), count = table_.DeviceCount();
      const int each = count / servers;
      if (count % servers == 0 && std::has_single_bit(unsigned(each)) && each <= kMostCards) return;
      members_.Fault(
          "group_list[0]",
          fmt::format("found {} devices on {} servers, expected 1, 2, 4, 8 or 16 on each", count,
                      servers));
    } else if (table_.form == TableForm::kPlain && table_.servers.size() > 1) {
      const size_t each = table_.servers.front().devices.size();
      for (const TableServer& server : table_.servers) {
        const bool fits = server.devices.size() == each && std::has_single_bit(each);
        if (fits || each > kChip910Cards) continue;
        return members_.Warn(server.at, fmt::format("the Ascend 910 needs 1, 2, 4 or 8 devices on "
                                                    "each server, the same number on all; here "
                                                    "are {} beside {}",
                                                    server.devices.size(), each));
      }
    }
  }

  // Several servers connect by these addresses, except within a super-pod.
  bool NeedsAddresses() const {
    if (table_.form == TableForm::kSuperPod) {
      return std::ranges::any_of(table_.servers, [&](const TableServer& server) {
        return server.super_pod != table_.servers.front().super_pod;
      });
    }
    return table_.form == TableForm::kHosts || Servers() > 1;
  }

  void CheckAddresses() {
    const bool needed = NeedsAddresses();
    size_t each = 0;
    for (const TableServer& server : table_.servers) {
      for (const TableDevice& device : server.devices) {
        if (device.ip.empty()) {
          if (needed) {
            members_.Fault(device.at,
                           fmt::format("no {}; a table of several servers needs it", AddressKey()));
          }
          continue;
        }
        const std::vector<std::string> list = Split(device.ip, ',');
        if (each == 0) each = list.size();
        if (list.size() != each) {
          members_.Fault(
              Below(device.at, AddressKey()),
              fmt::format("found {} addresses, other devices have {}", list.size(), each));
        }
        for (const std::string& address : list) TakeAddress(address, device);
      }
    }
  }

  void TakeAddress(const std::string& address, const TableDevice& device) {
    const std::string path = Below(device.at, AddressKey());
    const int family = FamilyOf(address);
    if (family == 0) {
      return members_.Fault(path, fmt::format("\"{}\" is no IP address", Printable(address)));
    }
    if (family_ == 0) family_ = family;
    if (family != family_) {
      members_.Fault(path, fmt::format("{} is an address of another family than the first of the "
                                       "table",
                                       address));
    }
    const bool may_share = table_.form == TableForm::kHosts;  // distinguished by port
    const auto [first, fresh] = addresses_.emplace(address, device.at);
    if (fresh || may_share) return;
    members_.Fault(path, fmt::format("{} stands twice, first in {}", address, first->second));
  }

  void CheckHostAddresses() {
    for (const TableServer& server : table_.servers) {
      for (const auto& [key, value] : server.more) {
        if (key != "host_ip" || FamilyOf(value) != 0) continue;
        members_.Fault(Below(server.at, key),
                       fmt::format("\"{}\" is no IP address", Printable(value)));
      }
    }
  }

  void CheckSuperPods() {
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> seen;
    std::set<std::string_view> left;  // super-pods whose servers have ended
    std::string_view current;
    for (const TableServer& server : table_.servers) {
      if (server.super_pod != current) {
        if (!left.insert(server.super_pod).second) {
          members_.Fault(server.at, fmt::format("server {} stands apart from the others of "
                                                "super-pod {}",
                                                Printable(server.id), Printable(server.super_pod)));
        }
        current = server.super_pod;
      }
      for (const TableDevice& device : server.devices) {
        const auto [first, fresh] =
            seen.try_emplace({server.super_pod, device.super_device_id}, device.at);
        if (fresh) continue;
        members_.Fault(
            Below(device.at, "super_device_id"),
            fmt::format("{} stands twice in super-pod {}, first in {}", device.super_device_id,
                        Printable(server.super_pod), first->second));
      }
    }
  }

  void CheckUse(const TableUse& use) {
    std::set<std::string> wanted(use.servers.begin(), use.servers.end());
    for (const TableServer& server : table_.servers) {
      if (use.servers.empty() || wanted.erase(server.id) > 0) continue;
      if (std::ranges::find(use.servers, server.id) != use.servers.end()) continue;  // a second pod
      members_.Fault(server.at, fmt::format("server {} is none of this job", Printable(server.id)));
    }
    for (const std::string& id : wanted) {
      members_.Fault("", fmt::format("server {} of this job is not in the table", Printable(id)));
    }
    if (use.rank) CheckOwnRank(*use.rank, use.device);
  }

  void CheckOwnRank(int rank, std::optional<int> wanted) {
    for (const TableServer& server : table_.servers) {
      for (const TableDevice& device : server.devices) {
        if (device.rank != rank) continue;
        if (!wanted || device.id == *wanted) return;
        return members_.Fault(
            Below(device.at, "device_id"),
            fmt::format("rank {} is device {} of server {} here, but the process opens device {}",
                        rank, device.id, Printable(server.id), *wanted));
      }
    }
    members_.Fault("", fmt::format("rank {} is not in the table; it has {} devices", rank,
                                   table_.DeviceCount()));
  }

  const RankTable& table_;
  TableMembers members_;
  int family_ = 0;
  std::map<std::string, std::string_view> addresses_;  // -> where
};

}  // namespace

void CheckTableRules(const RankTable& table, const TableUse& use, std::vector<TableFault>& faults) {
  Rules(table, faults).Check(use);
}

}  // namespace muster::dialect
