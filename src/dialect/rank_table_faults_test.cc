// All faults of rank tables with their exact messages. Longer than most: it is one table of cases.
#include <functional>

#include <gmock/gmock.h>

#include "dialect/device_addresses.h"
#include "dialect/rank_table.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;

json::value Table(TableForm form, int servers = 2, int devices = 2) {
  std::vector<TableHost> hosts;
  for (int s = 0; s < servers; ++s) {
    TableHost host{.server = "10.1.0." + std::to_string(11 + s)};
    host.super_pod = std::to_string(s);
    for (int d = 0; d < devices; ++d) {
      host.devices.push_back(d);
      host.addresses.push_back(*AddressByRule("10.20.{d}.{5+s}", s, d));
    }
    hosts.push_back(host);
  }
  return ToJsonObject(*MakeRankTable(hosts, form));
}

struct BadTable {
  const char* what;
  TableForm form;
  const char* pointer;  // RFC 6901: the value to change …
  json::value value;    // … into this; a null removes it
  std::vector<std::string> faults;
};

json::value Change(json::value table, const std::string& pointer, const json::value& value) {
  const size_t slash = pointer.rfind('/');
  json::value& parent = table.at_pointer(pointer.substr(0, slash));
  const std::string key = pointer.substr(slash + 1);
  if (parent.is_array()) {
    const size_t index = std::stoul(key);
    json::array& list = parent.get_array();
    if (value.is_null()) {
      list.erase(list.begin() + long(index));
    } else if (index < list.size()) {
      list[index] = value;
    } else {
      list.push_back(value);
    }
  } else if (value.is_null()) {
    parent.get_object().erase(key);
  } else {
    parent.get_object()[key] = value;
  }
  return table;
}

std::vector<std::string> Lines(const json::value& table, const TableUse& use = {}) {
  std::vector<std::string> lines;
  for (const TableFault& fault : ReadRankTable(table, use).faults) {
    lines.push_back((fault.warning ? "warning: " : "") + FaultLine(fault));
  }
  return lines;
}

const json::value kGone;

std::vector<BadTable> PlainCases() {
  const TableForm form = TableForm::kPlain;
  return {
      {"another version",
       form,
       "/version",
       "3.1",
       {"version: found \"3.1\", expected 1.0, 1.1 or 1.2, or no version for the group forms"}},
      {"the version of another chip",
       form,
       "/version",
       "2.0",
       {"version: a 2.0 table describes the wiring of an Ascend 950 and is made by that node's own "
        "tools; 1.0, 1.1, 1.2 and the group forms are checked here"}},
      {"the version as a number",
       form,
       "/version",
       1,
       {"version: found 1, expected the text \"1\": HCCL reads texts only"}},
      {"no status", form, "/status", kGone, {"\"status\" is missing"}},
      {"a status that is not the last",
       form,
       "/status",
       "initializing",
       {"status: found \"initializing\", expected \"completed\": HCCL waits up to 1800 s for that "
        "word"}},
      {"no servers", form, "/server_list", kGone, {"\"server_list\" is missing"}},
      {"an empty list of servers",
       form,
       "/server_list",
       json::array{},
       {"server_list: the list is empty"}},
      {"servers that are no list",
       form,
       "/server_list",
       "10.1.0.11",
       {"server_list: found \"10.1.0.11\", expected a list"}},
      {"a wrong count of servers",
       form,
       "/server_count",
       "3",
       {"server_count: found \"3\", but there are 2 servers"}},
      {"a server that is missing",
       form,
       "/server_list/1",
       kGone,
       {"server_count: found \"2\", but there are 1 servers"}},
      {"a server that is no object",
       form,
       "/server_list/1",
       "10.1.0.12",
       {"server_list[1]: found \"10.1.0.12\", expected an object"}},
      {"a server twice",
       form,
       "/server_list/1/server_id",
       "10.1.0.11",
       {"server_list[1].server_id: server 10.1.0.11 stands twice, first in server_list[0]"}},
      {"a server without id",
       form,
       "/server_list/0/server_id",
       kGone,
       {"server_list[0]: \"server_id\" is missing"}},
      {"an empty id",
       form,
       "/server_list/0/server_id",
       "",
       {"server_list[0].server_id: found 0 characters, expected 1 to 64"}},
      {"a server without devices",
       form,
       "/server_list/0/device",
       json::array{},
       {"server_list[0].device: the list is empty"}},
      {"a device twice",
       form,
       "/server_list/0/device/1/device_id",
       "0",
       {"server_list[0].device[1]: device 0 of server 10.1.0.11 stands twice, first in "
        "server_list[0].device[0]"}},
      {"a device that is a number",
       form,
       "/server_list/0/device/0/device_id",
       0,
       {"server_list[0].device[0].device_id: found 0, expected the text \"0\": HCCL reads texts "
        "only"}},
      {"a device that no server has",
       form,
       "/server_list/0/device/0/device_id",
       "64",
       {"server_list[0].device[0].device_id: found \"64\", expected a number from 0 to 63"}},
      {"a rank twice",
       form,
       "/server_list/1/device/0/rank_id",
       "1",
       {"server_list[1].device[0].rank_id: rank 1 stands twice, first in "
        "server_list[0].device[1]"}},
      {"a rank that is missing",
       form,
       "/server_list/1/device/1/rank_id",
       "4",
       {"server_list[1].device[1].rank_id: rank 4 of a table of 4 devices, expected 0 to 3"}},
      {"a device without rank",
       form,
       "/server_list/0/device/0/rank_id",
       kGone,
       {"server_list[0].device[0]: \"rank_id\" is missing"}},
      {"a negative rank",
       form,
       "/server_list/0/device/0/rank_id",
       "-1",
       {"server_list[0].device[0].rank_id: found \"-1\", expected a number from 0 to 65535"}},
      {"a rank with a leading blank",
       form,
       "/server_list/0/device/0/rank_id",
       " 0",
       {"server_list[0].device[0].rank_id: found \" 0\", expected a number from 0 to 65535"}},
      {"no address",
       form,
       "/server_list/0/device/1/device_ip",
       kGone,
       {"server_list[0].device[1]: no device_ip; a table of several servers needs it"}},
      {"a word for an address",
       form,
       "/server_list/0/device/1/device_ip",
       "eth0",
       {"server_list[0].device[1].device_ip: \"eth0\" is no IP address"}},
      {"an address twice",
       form,
       "/server_list/1/device/0/device_ip",
       "10.20.1.5",
       {"server_list[1].device[0].device_ip: 10.20.1.5 stands twice, first in "
        "server_list[0].device[1]"}},
      {"two families of addresses",
       form,
       "/server_list/1/device/0/device_ip",
       "fe80::1",
       {"server_list[1].device[0].device_ip: fe80::1 is an address of another family than the "
        "first of the table"}},
      {"more addresses than the others",
       form,
       "/server_list/1/device/0/device_ip",
       "10.20.9.1,10.20.9.2",
       {"server_list[1].device[0].device_ip: found 2 addresses, other devices have 1"}},
      {"port 0",
       form,
       "/server_list/1/device/0/device_port",
       "0",
       {"server_list[1].device[0].device_port: found \"0\", expected a number from 1 to 65535"}},
      {"a host address that is none",
       form,
       "/server_list/1/host_ip",
       "here",
       {"server_list[1].host_ip: \"here\" is no IP address"}},
      {"a key of another form",
       form,
       "/server_list/0/devices",
       json::array{},
       {"warning: server_list[0].devices: HCCL does not know this key; did you mean \"device\"?"}},
  };
}

std::vector<BadTable> GroupCases() {
  const std::string group = "/group_list/0";
  return {
      {"addresses at the host",
       TableForm::kLab,
       "/para_plane_nic_location",
       "host",
       {"para_plane_nic_location: found \"host\", expected \"device\""}},
      {"a wrong count of groups",
       TableForm::kLab,
       "/group_count",
       "2",
       {"group_count: found \"2\", but there are 1 groups"}},
      {"a second group",
       TableForm::kLab,
       "/group_list/1",
       json::object{},
       {"group_count: found \"1\", but there are 2 groups",
        "group_list: found 2 groups, expected the one of the whole job"}},
      {"no name of the group",
       TableForm::kLab,
       "/group_list/0/group_name",
       kGone,
       {"group_list[0]: \"group_name\" is missing"}},
      {"a wrong count of devices",
       TableForm::kLab,
       "/group_list/0/device_num",
       "8",
       {"group_list[0].device_num: found \"8\", but there are 4 devices"}},
      {"a wrong count of servers",
       TableForm::kLab,
       "/group_list/0/server_num",
       "1",
       {"group_list[0].server_num: found \"1\", but there are 2 servers"}},
      {"an instance that is missing",
       TableForm::kLab,
       "/group_list/0/instance_list/3",
       kGone,
       {"group_list[0].instance_count: found \"4\", but there are 3 instances",
        "group_list[0].device_num: found \"4\", but there are 3 devices"}},
      {"the same ranks on both hosts",
       TableForm::kLab,
       "/group_list/0/instance_list/2/rank_id",
       "0",
       {"group_list[0].instance_list[2].rank_id: rank 0 stands twice, first in "
        "group_list[0].instance_list[0]"}},
      {"a device above the eighth",
       TableForm::kLab,
       "/group_list/0/instance_list/2/devices/0/device_id",
       "8",
       {"group_list[0].instance_list[2].devices[0].device_id: found \"8\", expected a number from "
        "0 "
        "to 7"}},
      {"two devices in one instance",
       TableForm::kLab,
       "/group_list/0/instance_list/0/devices/1",
       json::object{{"device_id", "5"}, {"device_ip", ""}},
       {"group_list[0].instance_list[0].devices: found 2 devices, expected 1: the lab form has an "
        "instance for each device",
        "group_list[0].device_num: found \"4\", but there are 3 devices"}},
      {"a pod twice",
       TableForm::kCloud,
       "/group_list/0/instance_list/1/pod_name",
       "worker-0",
       {"group_list[0].instance_list[1].pod_name: pod worker-0 stands twice, first in "
        "group_list[0].instance_list[0]"}},
      {"a pod without name",
       TableForm::kCloud,
       "/group_list/0/instance_list/1/pod_name",
       kGone,
       {"group_list[0].instance_list[1]: \"pod_name\" is missing"}},
      {"servers that HCCL counts in another order",
       TableForm::kCloud,
       "/group_list/0/instance_list/1/server_id",
       "10.1.0.100",
       {"warning: group_list[0].instance_list[1].server_id: HCCL counts ranks by the text of "
        "server_id, where 10.1.0.100 comes before 10.1.0.11; by the order of the pods it comes "
        "after"}},
  };
}

std::vector<BadTable> OtherCases() {
  const TableForm pods = TableForm::kSuperPod, hosts = TableForm::kHosts;
  return {
      {"no super-pods", pods, "/super_pod_list", kGone, {"\"super_pod_list\" is missing"}},
      {"a foreign server",
       pods,
       "/super_pod_list/1/server_list/0/server_id",
       "10.1.0.99",
       {"super_pod_list[1].server_list[0].server_id: server 10.1.0.99 is not in server_list",
        "server_list[1]: server 10.1.0.12 is in no super-pod"}},
      {"a server of two super-pods",
       pods,
       "/super_pod_list/1/server_list/1",
       json::object{{"server_id", "10.1.0.11"}},
       {"super_pod_list[1].server_list[1].server_id: server 10.1.0.11 is in super-pod 0 already"}},
      {"a super-pod twice",
       pods,
       "/super_pod_list/1/super_pod_id",
       "0",
       {"super_pod_list[1].super_pod_id: super-pod 0 stands twice, first in super_pod_list[0]"}},
      {"an empty number in the super-pod",
       pods,
       "/server_list/0/device/0/super_device_id",
       "",
       {"server_list[0].device[0].super_device_id: found \"\", expected a number"}},
      {"a number of the super-pod twice",
       pods,
       "/server_list/0/device/1/super_device_id",
       "0",
       {"server_list[0].device[1].super_device_id: 0 stands twice in super-pod 0, first in "
        "server_list[0].device[0]"}},
      {"no collective", hosts, "/collective_id", kGone, {"\"collective_id\" is missing"}},
      {"another transport", hosts, "/mode", "udp", {"mode: found \"udp\", expected tcp or rdma"}},
      {"no port",
       hosts,
       "/node_list/0/ranks/0/port",
       kGone,
       {"node_list[0].ranks[0]: \"port\" is missing"}},
  };
}

TEST(RankTableFaults, EachFaultHasItsExactMessage) {
  std::vector<BadTable> cases = PlainCases();
  for (auto more : {GroupCases(), OtherCases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  EXPECT_GE(cases.size(), 50u);
  for (const BadTable& bad : cases) {
    ASSERT_THAT(Lines(Table(bad.form)), testing::IsEmpty()) << "before the change";
    EXPECT_EQ(Lines(Change(Table(bad.form), bad.pointer, bad.value)), bad.faults) << bad.what;
  }
}

TEST(RankTableFaults, UnsortedRanksAreAWarningAndMixedServersAFault) {
  json::value table = Table(TableForm::kPlain);
  std::swap(table.at_pointer("/server_list/0"), table.at_pointer("/server_list/1"));
  EXPECT_THAT(Lines(table), ElementsAre("warning: server_list[1].device[0].rank_id: rank 0 stands "
                                        "behind rank 3; HCCL sorts them, scripts that read the "
                                        "table may not"));
  table = Change(Table(TableForm::kPlain), "/server_list/0/device/1/rank_id", "2");
  table = Change(table, "/server_list/1/device/0/rank_id", "1");
  EXPECT_THAT(Lines(table),
              testing::Contains("server_list[0]: the ranks 0 to 2 of server 10.1.0.11 have ranks "
                                "of other servers between them"));
}

TEST(RankTableFaults, UnsupportedShapesAreNamed) {
  EXPECT_THAT(Lines(Table(TableForm::kLab, 2, 3)),
              ElementsAre("group_list[0]: found 6 devices on 2 servers, expected 1, 2, 4, 8 or 16 "
                          "on each"));
  EXPECT_THAT(Lines(Table(TableForm::kPlain, 2, 3)),
              ElementsAre("warning: server_list[0]: the Ascend 910 needs 1, 2, 4 or 8 devices on "
                          "each server, the same number on all; here are 3 beside 3"));
}

TEST(RankTableFaults, ServersOfASuperPodMustBeConsecutive) {
  json::value table = Table(TableForm::kSuperPod, 3);
  table.at_pointer("/super_pod_list") = json::array{
      json::object{{"super_pod_id", "a"},
                   {"server_list", json::array{json::object{{"server_id", "10.1.0.11"}},
                                               json::object{{"server_id", "10.1.0.13"}}}}},
      json::object{{"super_pod_id", "b"},
                   {"server_list", json::array{json::object{{"server_id", "10.1.0.12"}}}}}};
  EXPECT_THAT(Lines(table),
              testing::Contains("server_list[2]: server 10.1.0.13 stands apart from the others of "
                                "super-pod a"));
}

TEST(RankTableFaults, TableOfAnotherJobIsDetected) {
  const json::value table = Table(TableForm::kPlain);
  EXPECT_THAT(Lines(table, {.servers = {"10.1.0.11", "10.1.0.13"}}),
              ElementsAre("server_list[1]: server 10.1.0.12 is none of this job",
                          "server 10.1.0.13 of this job is not in the table"));
  EXPECT_THAT(Lines(table, {.rank = 3, .device = 0}),
              ElementsAre("server_list[1].device[1].device_id: rank 3 is device 1 of server "
                          "10.1.0.12 here, but the process opens device 0"));
  EXPECT_THAT(Lines(table, {.rank = 9}),
              ElementsAre("rank 9 is not in the table; it has 4 devices"));
  EXPECT_THAT(Lines(table, {.servers = {"10.1.0.11", "10.1.0.12"}, .rank = 3, .device = 1}),
              testing::IsEmpty());
}

TEST(RankTableFaults, AddressesMayBeOmittedOnOneServer) {
  json::value table = Table(TableForm::kPlain, 1);
  table = Change(table, "/server_list/0/device/0/device_ip", kGone);
  table = Change(table, "/server_list/0/device/1/device_ip", kGone);
  EXPECT_THAT(Lines(table), testing::IsEmpty());
}

TEST(RankTableFaults, HostileTextsStayOneLine) {
  json::value table = Table(TableForm::kPlain);
  table = Change(table, "/server_list/0/device/0/device_ip",
                 json::string("\x1b[31m\n" + std::string(5000, 'x')));
  for (const std::string& line : Lines(table)) {
    EXPECT_EQ(line.find_first_of("\x1b\n"), std::string::npos);
  }
  EXPECT_THAT(Lines(json::array{}), ElementsAre("found a list, expected an object"));
}

}  // namespace
}  // namespace muster::dialect
