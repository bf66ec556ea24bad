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

// HCCL's rank tables: the file that describes all NPUs of a job. One type for all published forms;
// reading, checking and writing depend on the form.

enum class TableForm {
  kLab,       // no version, `deploy_mode`: groups with one instance per device, with ranks
  kCloud,     // no version, no `deploy_mode`: groups of pods; HCCL assigns ranks
  kPlain,     // 1.0: servers with their devices
  kHosts,     // 1.1: nodes with host addresses and ports
  kSuperPod,  // 1.2: 1.0 with super-pods over the servers
};
// "lab", "cloud", "1.0", "1.1", "1.2".
std::string_view FormName(TableForm form);
Result<TableForm> ParseForm(std::string_view name);

struct TableDevice {
  int id = 0;                   // N of /dev/davinciN
  int rank = -1;                // -1 in forms without ranks
  std::string ip;               // several addresses separated by commas; may be empty
  std::string super_device_id;  // of 1.2
  Pairs more;                   // further keys of the form, such as device_port
  std::string at;               // position in the file: "server_list[0].device[3]"
};

struct TableServer {
  std::string id;
  std::string pod;        // in the cloud form; several pods may share a server
  std::string super_pod;  // of 1.2
  Pairs more;             // further keys of the form, such as host_ip
  std::vector<TableDevice> devices;
  std::string at;
};

struct RankTable {
  TableForm form = TableForm::kPlain;
  std::string status = "completed";
  std::string group;  // group_name, or collective_id in 1.1
  std::vector<TableServer> servers;

  int DeviceCount() const;
};

// A fault of a table. A warning marks what HCCL accepts but people or scripts misread.
struct TableFault {
  std::string path;  // "server_list[1].device[0].rank_id"; empty for the whole table
  std::string text;
  bool warning = false;
};
std::string FaultLine(const TableFault& fault);  // "path: text"

// The job that will use the table.
struct TableUse {
  std::vector<std::string> servers;  // of the job; empty if unknown
  std::optional<int> rank;           // one of its ranks …
  std::optional<int> device;         // … and the device number that it opens
};

struct TableReading {
  RankTable table;  // the parsed part
  std::vector<TableFault> faults;

  bool Usable() const;  // only warnings
};

// Parses a table of any form and checks all rules of HCCL's readers. Reports all faults together.
TableReading ReadRankTable(const json::value& document, const TableUse& use = {});

// In the table's own form. Ranks of -1 are omitted where the form permits it.
json::object ToJsonObject(const RankTable& table);

// A server of a new table.
struct TableHost {
  std::string server;
  std::vector<int> devices;
  std::vector<std::string> addresses;  // one per device, or empty
  std::string pod;                     // empty for worker-<i>
  std::string super_pod;               // empty for one common super-pod
};
// Ranks are numbered over the hosts in order. kInvalid if the numbers of devices and addresses
// differ.
Result<RankTable> MakeRankTable(std::span<const TableHost> hosts, TableForm form);

// Concatenates tables and renumbers ranks. kInvalid for different forms, or a server in two tables.
Result<RankTable> MergeRankTables(std::span<const RankTable> tables);

// Converts to another form. Omits what the new form cannot express and generates what it requires:
// ranks by the number at the end of pod names, pods worker-<i>, one super-pod.
RankTable ConvertRankTable(RankTable table, TableForm form);

}  // namespace muster::dialect
