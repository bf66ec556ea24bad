#include <fmt/format.h>

#include "base/text.h"
#include "cli/verbs.h"
#include "dialect/device_addresses.h"
#include "dialect/rank_table.h"
#include "os/file.h"

namespace muster::cli {
namespace {

using dialect::RankTable;
using dialect::TableFault;
using dialect::TableForm;
using dialect::TableReading;

constexpr const char* kHccnConf = "/etc/hccn.conf";
constexpr int kMaxDevice = 63;

std::unexpected<Error> Wrong(std::string text, std::string next = {}) {
  return Fail(Code::kInvalid, std::move(text), std::move(next));
}

Result<TableReading> ReadTable(const std::string& path, const dialect::TableUse& use = {}) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(path));
  const auto document = ParseJson(text);
  if (!document) return Wrong(fmt::format("cannot read {}: {}", path, document.error().text));
  return dialect::ReadRankTable(*document, use);
}

// For verbs that process the table: its first fault is the error.
Result<RankTable> ReadGoodTable(const std::string& path) {
  MUSTER_ASSIGN(const TableReading reading, ReadTable(path));
  for (const TableFault& fault : reading.faults) {
    if (fault.warning) continue;
    return Wrong(fmt::format("{} is no good rank table: {}", path, FaultLine(fault)),
                 fmt::format("see all of its faults with muster ranktable check {}", path));
  }
  return reading.table;
}

Result<TableForm> FormOf(const Args& args, TableForm fallback) {
  return args.Has("form") ? dialect::ParseForm(args.Get("form")) : Result<TableForm>(fallback);
}

Result<int> WriteTable(Context& context, const Args& args, const RankTable& table) {
  const json::object document = ToJsonObject(table);
  // The arguments may yield a table that HCCL refuses: a duplicate address or server.
  for (const TableFault& fault : dialect::ReadRankTable(document).faults) {
    if (!fault.warning)
      return Wrong(fmt::format("this would be no good rank table: {}", FaultLine(fault)));
    context.screen.Err(fmt::format("muster: {}\n", FaultLine(fault)));
  }
  const std::string text = ToPrettyJson(document);
  if (!args.Has("output")) {
    context.screen.Out(text);
    return 0;
  }
  MUSTER_TRY(os::WriteFileAtomic(args.Get("output"), text));
  context.screen.Out(fmt::format("{}: {} devices on {} servers, form {}\n", args.Get("output"),
                                 table.DeviceCount(), table.servers.size(), FormName(table.form)));
  return 0;
}

// --- check

json::object FaultsToJson(const TableReading& reading) {
  json::array faults;
  for (const TableFault& fault : reading.faults) {
    faults.push_back(
        json::object{{"path", fault.path}, {"text", fault.text}, {"warning", fault.warning}});
  }
  return {{"usable", reading.Usable()},
          {"form", FormName(reading.table.form)},
          {"servers", reading.table.servers.size()},
          {"devices", reading.table.DeviceCount()},
          {"faults", std::move(faults)}};
}

Result<dialect::TableUse> UseOf(const Args& args) {
  dialect::TableUse use{.servers = args.All("server")};
  MUSTER_ASSIGN(const auto rank, args.Int("rank", 0, 65'535));
  MUSTER_ASSIGN(const auto device, args.Int("device", 0, kMaxDevice));
  if (device && !rank) return Wrong("--device needs --rank: whose device is it?");
  if (rank) use.rank = int(*rank);
  if (device) use.device = int(*device);
  return use;
}

Result<int> Check(Context& context, const Args& args, const std::vector<std::string>& files) {
  MUSTER_ASSIGN(const dialect::TableUse use, UseOf(args));
  bool good = true;
  json::array all;
  for (const std::string& file : files) {
    MUSTER_ASSIGN(const TableReading reading, ReadTable(file, use));
    good = good && reading.Usable();
    if (args.Has("json")) {
      json::object entry = FaultsToJson(reading);
      entry["file"] = file;
      all.push_back(std::move(entry));
      continue;
    }
    for (const TableFault& fault : reading.faults) {
      context.screen.Out(
          fmt::format("{}: {}{}\n", file, fault.warning ? "warning: " : "", FaultLine(fault)));
    }
    if (!reading.Usable()) continue;
    context.screen.Out(fmt::format("{}: good, {} devices on {} servers, form {}\n", file,
                                   reading.table.DeviceCount(), reading.table.servers.size(),
                                   FormName(reading.table.form)));
  }
  if (args.Has("json")) context.screen.Out(ToPrettyJson(json::object{{"tables", std::move(all)}}));
  return good ? 0 : 1;
}

// --- make

Result<std::vector<int>> Numbers(std::string_view text) {
  std::vector<int> numbers;
  for (const std::string& word : Split(text, ',')) {
    const auto number = ParseInt(Trim(word));
    if (!number || *number < 0 || *number > kMaxDevice)
      return Wrong(
          fmt::format("--devices: found \"{}\", expected numbers of devices such as "
                      "0,1,2,3",
                      Printable(text)));
    numbers.push_back(int(*number));
  }
  return numbers;
}

// "10.0.0.1" with the common devices, or "10.0.0.1=0,1" with its own.
Result<dialect::TableHost> HostOf(std::string_view text, const std::vector<int>& devices) {
  dialect::TableHost host{.server = std::string(text), .devices = devices};
  const size_t equal = text.find('=');
  if (equal == std::string_view::npos) return host;
  host.server = std::string(text.substr(0, equal));
  MUSTER_ASSIGN(host.devices, Numbers(text.substr(equal + 1)));
  return host;
}

Status TakeAddresses(const Args& args, size_t index, dialect::TableHost& host) {
  const std::vector<std::string> lists = args.All("addresses"), files = args.All("hccn");
  if (index < lists.size()) {
    host.addresses = Split(lists[index], ',');
  } else if (args.Has("rule")) {
    for (const int device : host.devices) {
      MUSTER_ASSIGN(std::string address,
                    dialect::AddressByRule(args.Get("rule"), int(index), device));
      host.addresses.push_back(std::move(address));
    }
  } else if (index < files.size()) {
    MUSTER_ASSIGN(const std::string text, os::ReadFile(files[index]));
    const auto known = dialect::ParseHccnConf(text);
    if (!known) return Wrong(fmt::format("{}: {}", files[index], known.error().text));
    MUSTER_ASSIGN(host.addresses, dialect::PickAddresses(*known, host.devices));
  }
  return {};
}

Result<int> Make(Context& context, const Args& args) {
  MUSTER_ASSIGN(const std::vector<int> devices, Numbers(args.Get("devices", "0,1,2,3,4,5,6,7")));
  MUSTER_ASSIGN(const TableForm form, FormOf(args, TableForm::kPlain));
  std::vector<dialect::TableHost> hosts;
  for (const std::string& server : args.All("server")) {
    MUSTER_ASSIGN(dialect::TableHost host, HostOf(server, devices));
    hosts.push_back(std::move(host));
  }
  if (hosts.empty())
    return Wrong("a rank table needs its servers", "name each with --server ADDRESS");
  for (size_t i = 0; i < hosts.size(); ++i) MUSTER_TRY(TakeAddresses(args, i, hosts[i]));
  const bool said = args.Has("addresses") || args.Has("rule") || args.Has("hccn");
  if (!said && hosts.size() == 1) {
    // On the server itself its own file is the best source; a single server needs none.
    if (const auto text = os::ReadFile(kHccnConf)) {
      MUSTER_ASSIGN(const auto known, dialect::ParseHccnConf(*text));
      MUSTER_ASSIGN(hosts[0].addresses, dialect::PickAddresses(known, hosts[0].devices));
    }
  }
  MUSTER_ASSIGN(const RankTable table, dialect::MakeRankTable(hosts, form));
  return WriteTable(context, args, table);
}

// --- merge and convert

Result<int> Merge(Context& context, const Args& args, const std::vector<std::string>& files) {
  std::vector<RankTable> tables;
  for (const std::string& file : files) {
    MUSTER_ASSIGN(RankTable table, ReadGoodTable(file));
    tables.push_back(std::move(table));
  }
  MUSTER_ASSIGN(RankTable merged, dialect::MergeRankTables(tables));
  MUSTER_ASSIGN(const TableForm form, FormOf(args, merged.form));
  return WriteTable(context, args, dialect::ConvertRankTable(std::move(merged), form));
}

Result<int> Convert(Context& context, const Args& args, const std::string& file) {
  if (!args.Has("form")) return Wrong("into which form?", "say --form lab, cloud, 1.0, 1.1 or 1.2");
  MUSTER_ASSIGN(const TableForm form, FormOf(args, TableForm::kPlain));
  MUSTER_ASSIGN(RankTable table, ReadGoodTable(file));
  return WriteTable(context, args, dialect::ConvertRankTable(std::move(table), form));
}

Result<int> Run(Context& context, const Args& args) {
  const std::string& what = args.words.front();
  const std::vector<std::string> files(args.words.begin() + 1, args.words.end());
  if (what == "make") {
    if (files.empty()) return Make(context, args);
    return Wrong(fmt::format("make reads no rank table such as \"{}\"", Printable(files[0])),
                 "name servers with --server, or use merge or convert");
  }
  if (what == "check" || what == "merge") {
    if (files.empty())
      return Wrong(fmt::format("{} needs at least one file", what),
                   fmt::format("muster ranktable {} TABLE.json…", what));
    return what == "check" ? Check(context, args, files) : Merge(context, args, files);
  }
  if (what == "convert") {
    if (files.size() == 1) return Convert(context, args, files[0]);
    return Wrong("convert takes one file", "muster ranktable convert TABLE.json --form 1.0");
  }
  constexpr std::string_view kWords[] = {"check", "make", "merge", "convert"};
  const std::string_view meant = DidYouMean(what, kWords);
  return Wrong(fmt::format("a rank table cannot be \"{}\"", Printable(what)),
               meant.empty() ? "use check, make, merge or convert"
                             : fmt::format("did you mean \"{}\"?", meant));
}

}  // namespace

Verb RanktableVerb() {
  return {
      .name = "ranktable",
      .aliases = {},
      .summary = "Check, make, merge or convert rank tables of NPUs",
      .words = "check|make|merge|convert [TABLE.json…]",
      .least_words = 1,
      .most_words = -1,
      .completes = Completes::kFile,
      .flags = {{"form", 0, "FORM", "lab, cloud, 1.0, 1.1 or 1.2 (make: else 1.0)"},
                {"server", 0, "ADDRESS[=0,1…]", "a server of the table, in the order of ranks",
                 true},
                {"devices", 0, "0,1…", "device numbers of servers that name none (else 0 to 7)"},
                {"hccn", 0, "FILE", "the next server's /etc/hccn.conf, for device addresses", true,
                 Completes::kFile},
                {"addresses", 0, "IP,IP…", "the next server's device addresses", true},
                {"rule", 0, "RULE", "device addresses by server s and device d: 10.0.{s}.{1+d}"},
                {"rank", 0, "NUMBER", "check: a rank of the job …"},
                {"device", 0, "NUMBER", "check: … and the device that it opens"},
                {"output", 'o', "FILE", "write there (else print)", false, Completes::kFile}},
      .examples = {{"muster ranktable check hccl.json", "every fault, each with its place"},
                   {"muster ranktable make --server 10.0.0.1 --server 10.0.0.2 "
                    "--rule '192.168.{10+10*(d%4)}.{1+2*s+d/4}'",
                    "two servers of eight devices"},
                   {"muster ranktable merge a.json b.json -o both.json", "ranks counted anew"},
                   {"muster ranktable convert old.json --form 1.0", "the same devices"}},
      .run = Run};
}

}  // namespace muster::cli
