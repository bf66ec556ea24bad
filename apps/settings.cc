#include "apps/settings.h"

#include <sys/types.h>

#include <limits>

#include <fmt/format.h>

#include "apps/settings_fields.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/verbs.h"
#include "model/spec_reader.h"

namespace muster::apps {
namespace {

Error Faulty(const std::vector<Fault>& faults, const std::string& shown) {
  std::string text = FaultText(faults, shown);
  while (text.ends_with('\n')) text.pop_back();
  return {Code::kInvalid, std::move(text),
          "muster schema server prints what a configuration may say"};
}

Status ReadInto(Settings& settings, const json::value& document, const Marks& marks,
                const std::string& shown) {
  Reading reading(marks);
  const BuiltIns nothing;
  ReadFields(Cursor{reading, document, {}, nothing}, SettingsFields(), std::nullopt, settings);
  if (!reading.HasFaults()) return {};
  return std::unexpected(Faulty(reading.TakeFaults(), shown));
}

Status ReadConfiguration(Settings& settings, const std::string& file) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(file, 1 << 20));
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  if (!document) return std::unexpected(Faulty(document.error(), file));
  if (!document->is_object())
    return std::unexpected(
        Faulty({{.path = "", .found = "no map", .expected = "a map of settings"}}, file));
  return ReadInto(settings, *document, marks, file);
}

// Flags that are keys of the configuration, as a document: "--s3-listen" is s3_listen.
json::object DocumentOf(const cli::Args& args) {
  json::object document;
  for (const Field<Settings>& field : SettingsFields()) {
    std::string flag(field.key);
    std::ranges::replace(flag, '_', '-');
    if (args.Has(flag)) document[field.key] = args.Get(flag);
  }
  if (args.Has("tls-cert")) document["tls"] = json::object{{"certificate", args.Get("tls-cert")}};
  if (args.Has("tls-key")) {
    json::value& tls = document["tls"];
    if (!tls.is_object()) tls = json::object();
    tls.get_object()["key"] = args.Get("tls-key");
  }
  return document;
}

}  // namespace

json::object SettingsSchema() {
  json::object schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"$id", "urn:muster:server-configuration:1"},
                         {"title", "Muster server configuration"}};
  for (auto& member : TableSchema(SettingsFields())) schema[member.key()] = member.value();
  return schema;
}

Result<Settings> ReadSettings(const std::vector<std::string>& arguments) {
  const auto table = cli::AllFlags(cli::ServerVerb());
  MUSTER_ASSIGN(const cli::Args args, cli::ParseFlags(table, arguments));
  Settings settings;
  if (args.Has("config")) MUSTER_TRY(ReadConfiguration(settings, args.Get("config")));
  MUSTER_TRY(ReadInto(settings, DocumentOf(args), {}, "command line"));
  settings.data = args.Has("data") ? os::Path(args.Get("data")) : os::DefaultDataDir();
  if (settings.data.empty()) {
    return Fail(Code::kInvalid, "--data is empty, expected the folder of the server's data",
                "name a folder, or leave the flag out for the usual one");
  }
  std::error_code error;
  settings.data = std::filesystem::absolute(settings.data, error).lexically_normal();
  if (error) return FailErrno(error.value(), "find the current folder");
  MUSTER_ASSIGN(const auto owner, args.Int("owner", 1, std::numeric_limits<pid_t>::max()));
  if (owner) settings.owner = int(*owner);
  settings.accept_journal_loss = args.Has("accept-journal-loss");
  return settings;
}

}  // namespace muster::apps
