#include "dialect/rank_table.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "dialect/device_addresses.h"

namespace muster::dialect {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<TableHost> TwoHosts(int devices) {
  std::vector<TableHost> hosts{{.server = "10.1.0.11"}, {.server = "10.1.0.12"}};
  for (int s = 0; s < 2; ++s) {
    for (int d = 0; d < devices; ++d) {
      hosts[size_t(s)].devices.push_back(d);
      hosts[size_t(s)].addresses.push_back(*AddressByRule("10.20.{d%4}.{5+2*s+d/4}", s, d));
    }
  }
  return hosts;
}

RankTable Made(TableForm form, int devices = 2) { return *MakeRankTable(TwoHosts(devices), form); }

std::vector<std::string> Lines(const TableReading& reading) {
  std::vector<std::string> lines;
  for (const TableFault& fault : reading.faults) {
    lines.push_back((fault.warning ? "warning: " : "") + FaultLine(fault));
  }
  return lines;
}

constexpr TableForm kAll[] = {TableForm::kLab, TableForm::kCloud, TableForm::kPlain,
                              TableForm::kHosts, TableForm::kSuperPod};

TEST(RankTable, EveryFormMatchesItsGoldenFile) {
  const bool update = std::getenv("MUSTER_UPDATE_GOLDEN") != nullptr;
  for (const TableForm form : kAll) {
    const std::string text = ToPrettyJson(ToJsonObject(Made(form, 8)));
    const auto path = std::filesystem::path(MUSTER_GOLDEN) / "rank_tables" /
                      (std::string(FormName(form)) + ".json");
    if (update) {
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << text;
    }
    std::ifstream file(path, std::ios::binary);
    EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {})) << path;
  }
}

TEST(RankTable, NewTablesPassTheCheckInEveryForm) {
  for (const TableForm form : kAll) {
    const TableReading reading = ReadRankTable(ToJsonObject(Made(form, 8)));
    EXPECT_THAT(Lines(reading), IsEmpty()) << FormName(form);
    EXPECT_EQ(reading.table.form, form);
  }
}

TEST(RankTable, RoundTrips) {
  for (const TableForm form : kAll) {
    const json::object before = ToJsonObject(Made(form, 8));
    EXPECT_EQ(ToJson(ToJsonObject(ReadRankTable(before).table)), ToJson(before)) << FormName(form);
  }
}

TEST(RankTable, ConversionsKeepRanksAndAddresses) {
  const std::string plain = ToJson(ToJsonObject(Made(TableForm::kPlain, 8)));
  for (const TableForm form : kAll) {
    const RankTable there = ConvertRankTable(Made(TableForm::kPlain, 8), form);
    const RankTable back = ConvertRankTable(there, TableForm::kPlain);
    EXPECT_EQ(ToJson(ToJsonObject(back)), plain) << FormName(form);
  }
}

TEST(RankTable, PodsAreNumberedByName) {
  std::vector<TableHost> hosts = TwoHosts(1);
  hosts[0].pod = "job-worker-10";
  hosts[1].pod = "job-worker-9";
  const RankTable table =
      ConvertRankTable(*MakeRankTable(hosts, TableForm::kCloud), TableForm::kPlain);
  EXPECT_EQ(table.servers[0].id, "10.1.0.12");
  EXPECT_EQ(table.servers[0].devices[0].rank, 0);
}

TEST(RankTable, PodsOfOneServerAreMerged) {
  std::vector<TableHost> hosts = TwoHosts(2);
  hosts[1].server = hosts[0].server;
  hosts[1].devices = {2, 3};
  const RankTable table =
      ConvertRankTable(*MakeRankTable(hosts, TableForm::kCloud), TableForm::kPlain);
  ASSERT_EQ(table.servers.size(), 1u);
  EXPECT_EQ(table.servers[0].devices.size(), 4u);
}

TEST(RankTable, FurtherKeysAreKeptInFormsThatHaveThem) {
  RankTable table = Made(TableForm::kPlain);
  table.servers[0].more = {{"host_ip", "10.1.0.11"}};
  table.servers[0].devices[0].more = {{"device_port", "16700"}};
  EXPECT_THAT(ToJson(ToJsonObject(ConvertRankTable(table, TableForm::kSuperPod))),
              HasSubstr(R"("device_port":"16700")"));
  EXPECT_THAT(ToJson(ToJsonObject(ConvertRankTable(table, TableForm::kHosts))),
              Not(HasSubstr("device_port")));
}

TEST(RankTable, MergeConcatenatesServersAndRenumbers) {
  const auto hosts = TwoHosts(2);
  const std::vector<RankTable> tables{*MakeRankTable(std::span(hosts).first(1), TableForm::kPlain),
                                      *MakeRankTable(std::span(hosts).last(1), TableForm::kPlain)};
  EXPECT_EQ(ToJson(ToJsonObject(*MergeRankTables(tables))),
            ToJson(ToJsonObject(Made(TableForm::kPlain))));
}

TEST(RankTable, IncompatibleTablesAreNotMerged) {
  const std::vector<RankTable> twice{Made(TableForm::kPlain), Made(TableForm::kPlain)};
  EXPECT_EQ(MergeRankTables(twice).error().text, "server 10.1.0.11 is in two of the tables");
  const std::vector<RankTable> mixed{Made(TableForm::kPlain), Made(TableForm::kLab)};
  EXPECT_EQ(MergeRankTables(mixed).error().text,
            "tables of the forms 1.0 and lab cannot be merged");
}

TEST(RankTable, NeedsAnAddressForEachDeviceOrNone) {
  std::vector<TableHost> hosts = TwoHosts(2);
  hosts[1].addresses.pop_back();
  EXPECT_EQ(MakeRankTable(hosts, TableForm::kPlain).error().text,
            "server 10.1.0.12 has 2 devices and 1 device addresses");
}

TEST(RankTable, FormsHaveNames) {
  for (const TableForm form : kAll) EXPECT_EQ(ParseForm(FormName(form)).value(), form);
  EXPECT_EQ(ParseForm("v0").value(), TableForm::kCloud);
  EXPECT_EQ(ParseForm("2.0").error().text,
            "\"2.0\" is no form of a rank table that can be written");
}

TEST(DeviceAddresses, AreReadFromHccnConf) {
  const auto known = ParseHccnConf(
      "address_0=192.168.1.5\nnetmask_0=255.255.255.0\n  address_1 = 192.168.2.5 \r\n"
      "netdetect_0=192.168.1.1\n\n# address_2\n");
  ASSERT_TRUE(known.has_value()) << known.error().text;
  EXPECT_THAT(*PickAddresses(*known, {1, 0}), ElementsAre("192.168.2.5", "192.168.1.5"));
  EXPECT_EQ(PickAddresses(*known, {2}).error().text, "hccn.conf has no address_2");
}

TEST(DeviceAddresses, BrokenHccnConfIsRejectedWithTheLine) {
  EXPECT_EQ(ParseHccnConf("\naddress_0=here\n").error().text,
            "hccn.conf, line 2: found \"address_0=here\", expected address_N=ADDRESS");
  EXPECT_EQ(ParseHccnConf("address_0=10.0.0.1\naddress_0=10.0.0.2").error().text,
            "hccn.conf, line 2: device 0 has an address already");
  EXPECT_FALSE(ParseHccnConf("address_99999999999999999999=10.0.0.1").has_value());
}

TEST(DeviceAddresses, FollowARule) {
  EXPECT_EQ(*AddressByRule(kPlanesRule, 0, 0), "192.168.10.1");
  EXPECT_EQ(*AddressByRule(kPlanesRule, 1, 7), "192.168.40.4");
  EXPECT_EQ(*AddressByRule("10.0.{ s * (2 - 1) }.{d}", 3, 4), "10.0.3.4");
  EXPECT_EQ(*AddressByRule("10.9.8.7", 3, 4), "10.9.8.7");
}

TEST(DeviceAddresses, BrokenRuleIsRejectedWithThePosition) {
  for (const char* rule : {"10.0.0.{", "10.0.0.{x}", "10.0.0.{1+}", "10.0.0.{d/0}", "10.0.0.{(d}",
                           "10.0.0.{}", "10.0.0.{999999999*999999999}", "10.0.0.{1 1}"}) {
    EXPECT_THAT(AddressByRule(rule, 1, 1).error().text, HasSubstr("cannot be read at")) << rule;
  }
  EXPECT_THAT(AddressByRule("10.0.0.{300+d}", 1, 1).error().text,
              HasSubstr("gives \"10.0.0.301\" for server 1, device 1"));
  EXPECT_FALSE(AddressByRule("10.0.0.{" + std::string(200, '(') + "d", 0, 0).has_value());
  EXPECT_FALSE(AddressByRule(std::string(10'000, '1'), 0, 0).has_value());
}

}  // namespace
}  // namespace muster::dialect
