#include "apps/settings_fields.h"

#include <fmt/format.h>

#include "base/text.h"
#include "engines/local/inventory.h"
#include "model/value_types.h"

namespace muster::apps {
namespace {

constexpr int kMostDevices = 1024;
constexpr std::array<std::string_view, 1> kEngines{"local"};
constexpr std::array<std::string_view, 2> kSyncs{"full", "none"};

std::optional<std::string> Text(const Cursor& at, std::string_view expected) {
  return FreeText{expected, UnknownName::kKeep}.Read(at);
}

void Refuse(const Cursor& at, std::string_view found, std::string expected, std::string hint = {}) {
  at.reading.AddFault(at.path, fmt::format("\"{}\"", Printable(found)), std::move(expected),
                      std::move(hint));
}

json::object TextSchema() { return {{"type", "string"}, {"minLength", 1}}; }

Field<Settings> Plain(std::string_view key, std::string_view summary,
                      std::string Settings::* member) {
  return {key, summary, TextSchema(), [member](const Cursor& at, Stage, Settings& settings) {
            if (auto text = Text(at, "a text")) settings.*member = *text;
          }};
}

// "HOST:PORT", "[::1]:PORT", ":PORT" or "PORT".
Field<Settings> Address(std::string_view key, std::string_view summary,
                        std::string Settings::* host_member, int Settings::* port_member) {
  const auto read = [=](const Cursor& at, Stage, Settings& settings) {
    constexpr std::string_view kExpected = "HOST:PORT";
    const auto text = Text(at, kExpected);
    if (!text) return;
    const size_t colon = text->rfind(':');
    const std::string_view port =
        colon == std::string::npos ? *text : std::string_view(*text).substr(colon + 1);
    std::string host = colon == std::string::npos ? "" : text->substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
      host = host.substr(1, host.size() - 2);
    const auto number = ParseInt(port);
    if (!number || *number < 0 || *number > 65535)
      return Refuse(at, *text, std::string(kExpected),
                    "for example 127.0.0.1:8080; port 0 takes any free one");
    if (!host.empty()) settings.*host_member = host;
    settings.*port_member = int(*number);
  };
  return {key, summary, {{"type", json::array{"string", "integer"}}}, read};
}

Field<Settings> Size(std::string_view key, std::string_view summary, int64_t least,
                     int64_t Settings::* member) {
  const auto read = [=](const Cursor& at, Stage, Settings& settings) {
    const std::string expected =
        fmt::format("a size of at least {}, such as 200G", HumanSize(least));
    const auto text = Text(at, expected);
    if (!text) return;
    const auto bytes = ParseSize(*text);
    if (!bytes || *bytes < least) return Refuse(at, *text, expected);
    settings.*member = *bytes;
  };
  return {key, summary, {{"type", json::array{"string", "integer"}}}, read};
}

Field<Settings> NodesField() {
  const auto read = [](const Cursor& at, Stage, Settings& settings) {
    const auto text = Text(at, "virtual nodes such as 4x8npu");
    if (!text) return;
    const auto nodes = engines::ParseVirtualNodes(*text, 1);
    if (!nodes) return Refuse(at, *text, "virtual nodes such as 4x8npu", nodes.error().text);
    settings.nodes = *text;
  };
  return {"nodes", "Virtual nodes of this machine; left out: the machine itself.", TextSchema(),
          read};
}

Field<Settings> DevicesField() {
  const WholeNumber count{0, kMostDevices};
  const auto read = [count](const Cursor& at, Stage, Settings& settings) {
    const auto* map = at.value.if_object();
    if (map == nullptr) return at.Fault("a map of kinds and counts, such as {npu: 8}");
    for (const auto& [kind, value] : *map) {
      const Cursor inner = at.At(value, kind);
      if (!CheckKey(inner, kind, kKindRule)) continue;
      if (const auto number = count.Read(inner)) settings.devices[std::string(kind)] = int(*number);
    }
  };
  const json::object schema{{"type", "object"},
                            {"propertyNames", json::object{{"pattern", kKindRule.Pattern()}}},
                            {"additionalProperties", count.Schema()}};
  return {"devices", "Kinds and counts of devices; they win over those that are found.", schema,
          read};
}

Field<Settings> TlsField() {
  Fields<Settings> parts{Plain("certificate", "A PEM file.", &Settings::tls_certificate),
                         Plain("key", "A PEM file.", &Settings::tls_key)};
  json::object schema = TableSchema(parts);
  return {"tls", "Certificate and key of the server's HTTPS.", std::move(schema),
          [parts](const Cursor& at, Stage, Settings& settings) {
            ReadFields(at, parts, std::nullopt, settings);
          }};
}

Field<Settings> SyncField() {
  return {"store_sync",
          "full: objects are on disk before they are acknowledged; none: for data that can be made "
          "again.",
          Choice{kSyncs}.Schema(), [](const Cursor& at, Stage, Settings& settings) {
            if (const auto word = Choice{kSyncs}.Read(at)) settings.store_sync = *word == "full";
          }};
}

Field<Settings> SigV2Field() {
  const auto read = [](const Cursor& at, Stage, Settings& settings) {
    if (at.value.is_bool()) return void(settings.store_sigv2 = at.value.get_bool());
    const auto word = Text(at, "on or off");
    if (!word) return;
    if (*word != "on" && *word != "off")
      return Refuse(at, *word, "on or off",
                    "off refuses signatures of version 2 and OBS; version 4 always works");
    settings.store_sigv2 = *word == "on";
  };
  return {"store_sigv2",
          "Whether the object store accepts signatures of version 2 and OBS: on or off.",
          {{"type", json::array{"string", "boolean"}}},
          read};
}

Fields<Settings> MakeFields() {
  return {Address("listen", "Where the HTTP API listens; port 0 takes any free one.",
                  &Settings::host, &Settings::port),
          NodesField(),
          {"engine", "How jobs are started.", Choice{kEngines}.Schema(),
           [](const Cursor& at, Stage, Settings& settings) {
             if (const auto name = Choice{kEngines}.Read(at)) settings.engine = *name;
           }},
          {"cpu_slots", "Slots of the kind cpu; 0: as many as there are CPUs.",
           WholeNumber{0, kMostDevices}.Schema(),
           [](const Cursor& at, Stage, Settings& settings) {
             if (const auto slots = WholeNumber{0, kMostDevices}.Read(at))
               settings.cpu_slots = int(*slots);
           }},
          DevicesField(),
          Size("memory",
               "Memory that jobs may use together on this machine; left out: all but 5 %, at least "
               "512 MiB less.",
               int64_t{1} << 20, &Settings::memory),
          TlsField(),
          Address("s3_listen",
                  "Where the object store listens; left out: the last port, or a free one.",
                  &Settings::s3_host, &Settings::s3_port),
          {"s3_domain", "BUCKET.NAME is a bucket of the object store (also BUCKET.localhost).",
           TextSchema(),
           [](const Cursor& at, Stage, Settings& settings) {
             if (const auto name = Text(at, "a domain such as s3.example.org"))
               settings.s3_domains = {Lower(*name)};
           }},
          SyncField(),
          SigV2Field(),
          Size("input_cache", "Size limit of the input cache; left out: a fifth of the disk.", 1,
               &Settings::input_cache),
          {"hccn_conf", "File with the addresses of the network cards inside NPUs.", TextSchema(),
           [](const Cursor& at, Stage, Settings& settings) {
             if (const auto file = Text(at, "a file")) settings.hccn_conf = *file;
           }}};
}

}  // namespace

const Fields<Settings>& SettingsFields() {
  static const Fields<Settings> fields = MakeFields();
  return fields;
}

}  // namespace muster::apps
