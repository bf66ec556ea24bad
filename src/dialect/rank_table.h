#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster::dialect {

// HCCL's rank tables: the file that tells every NPU of a job where all the others are. One value
// for all published forms; reading, checking and writing know the forms apart.

enum class TableForm {
  kLab,       // no version, `deploy_mode`: groups of one instance a device, ranks in the file
  kCloud,     // no version, no `deploy_mode`: groups of pods, HCCL counts the ranks itself
  kPlain,     // 1.0: servers with their devices
  kHosts,     // 1.1: nodes with host addresses and ports
  kSuperPod,  // 1.2: 1.0 with super-pods over the servers
};
// "lab", "cloud", "1.0", "1.1", "1.2".
std::string_view FormName(TableForm form);
Result<TableForm> ParseForm(std::string_view name);

struct TableDevice {
  int id = 0;                   // as the server counts: N of /dev/davinciN
  int rank = -1;                // -1: a form that has none
  std::string ip;               // several of them with commas between; empty: none known
  std::string super_device_id;  // of 1.2
  Pairs more;                   // further keys of the form, such as device_port
  std::string at;               // where it was read: "server_list[0].device[3]"
};

struct TableServer {
  std::string id;
  std::string pod;        // of the cloud form; several pods may share a server there
  std::string super_pod;  // of 1.2
  Pairs more;             // further keys of the form, such as host_ip
  std::vector<TableDevice> devices;
  std::string at;
};

struct RankTable {
  TableForm form = TableForm::kPlain;
  std::string status = "completed";
  std::string group;  // group_name, or collective_id of 1.1
  std::vector<TableServer> servers;

  int DeviceCount() const;
};

// One thing wrong with a table. A warning is what HCCL takes but people or scripts trip over.
struct TableFault {
  std::string path;  // "server_list[1].device[0].rank_id", empty for the whole table
  std::string text;
  bool warning = false;
};
std::string FaultLine(const TableFault& fault);  // "path: text"

// What is known of the job that is to use the table.
struct TableUse {
  std::vector<std::string> servers;  // those of the job; empty: unknown
  std::optional<int> rank;           // one of its ranks …
  std::optional<int> device;         // … and the device number that it will open
};

struct TableReading {
  RankTable table;  // as far as it could be read
  std::vector<TableFault> faults;

  bool Usable() const;  // no fault but warnings
};

// Reads a table of any form and holds it to every rule of HCCL's own readers. All faults at once.
TableReading ReadRankTable(const json::value& document, const TableUse& use = {});

// In the table's own form. Ranks that are -1 are left out where the form allows it.
json::object ToJsonObject(const RankTable& table);

// One server of a table that is to be made.
struct TableHost {
  std::string server;
  std::vector<int> devices;
  std::vector<std::string> addresses;  // one a device, or none at all
  std::string pod;                     // empty: worker-<i>
  std::string super_pod;               // empty: one for all
};
// Ranks count over the hosts in their order. kInvalid when numbers of devices and addresses differ.
Result<RankTable> MakeRankTable(std::span<const TableHost> hosts, TableForm form);

// One behind the other, ranks counted anew. kInvalid for different forms or a server that two have.
Result<RankTable> MergeRankTables(std::span<const RankTable> tables);

// The same devices in another form. What the new form cannot say is left out; what it needs beyond
// is made: ranks by the number at the end of a pod's name, pods worker-<i>, one super-pod for all.
RankTable ConvertRankTable(RankTable table, TableForm form);

}  // namespace muster::dialect
