#include "apps/settings.h"

#include <sys/types.h>

#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/verbs.h"
#include "model/spec_reader.h"

namespace muster::apps {
namespace {

constexpr std::array<std::string_view, 12> kKeys = {
    "listen",    "nodes",     "engine",     "cpu_slots",   "devices",     "tls",
    "s3_listen", "s3_domain", "store_sync", "store_sigv2", "input_cache", "hccn_conf"};
constexpr int kMostDevices = 1024;

// "HOST:PORT", "[::1]:PORT", ":PORT" or "PORT"
Status SetAddress(std::string_view name, const std::string& text, std::string& to_host,
                  int& to_port) {
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  const auto number = ParseInt(port);
  if (!number || *number < 0 || *number > 65535) {
    return Fail(Code::kInvalid, fmt::format("{}: found \"{}\", expected HOST:PORT", name, text),
                "for example --listen 127.0.0.1:8080; port 0 takes any free one");
  }
  if (!host.empty()) to_host = host;
  to_port = int(*number);
  return {};
}

Status SetListen(Settings& settings, const std::string& text) {
  return SetAddress("listen", text, settings.host, settings.port);
}

Status SetStoreSync(Settings& settings, std::string_view text) {
  if (text != "full" && text != "none") {
    return Fail(Code::kInvalid,
                fmt::format("store_sync: found \"{}\", expected full or none", text),
                "none is for data that can be made again");
  }
  settings.store_sync = text == "full";
  return {};
}

Status SetStoreSigV2(Settings& settings, std::string_view text) {
  if (text != "on" && text != "off") {
    return Fail(Code::kInvalid, fmt::format("store_sigv2: found \"{}\", expected on or off", text),
                "off refuses signatures of version 2 and OBS; version 4 always works");
  }
  settings.store_sigv2 = text == "on";
  return {};
}

Status SetInputCache(Settings& settings, std::string_view text) {
  const auto bytes = ParseSize(text);
  if (!bytes || *bytes <= 0) {
    return Fail(Code::kInvalid,
                fmt::format("input_cache: found \"{}\", expected a size such as 200G", text),
                "leave it out for a fifth of the disk");
  }
  settings.input_cache = *bytes;
  return {};
}

Status BadKey(const std::string& file, std::string_view path, std::string_view expected) {
  return Fail(Code::kInvalid, fmt::format("{}: {}: expected {}", file, path, expected));
}

Status SetCount(const std::string& file, const std::string& path, const json::value& value,
                int& into) {
  if (!value.is_int64() || value.get_int64() < 0 || value.get_int64() > kMostDevices)
    return BadKey(file, path, fmt::format("a whole number from 0 to {}", kMostDevices));
  into = int(value.get_int64());
  return {};
}

Status TakeKey(Settings& settings, const std::string& file, std::string_view key,
               const json::value& value) {
  if (key == "cpu_slots") return SetCount(file, "cpu_slots", value, settings.cpu_slots);
  if (key == "devices" || key == "tls") {
    const auto* map = value.if_object();
    if (map == nullptr) return BadKey(file, key, "a map");
    for (const auto& [name, member] : *map) {
      const std::string path = fmt::format("{}.{}", key, std::string_view(name));
      if (key == "devices") {
        MUSTER_TRY(SetCount(file, path, member, settings.devices[std::string(name)]));
      } else if (!member.is_string() || (name != "certificate" && name != "key")) {
        return BadKey(file, path, "certificate and key, each a PEM file");
      } else {
        (name == "key" ? settings.tls_key : settings.tls_certificate) = member.get_string().c_str();
      }
    }
    return {};
  }
  if (key == "store_sigv2" && value.is_bool()) {
    settings.store_sigv2 = value.get_bool();
    return {};
  }
  if (!value.is_string()) return BadKey(file, key, "a text");
  const std::string text = value.get_string().c_str();
  if (key == "listen") return SetListen(settings, text);
  if (key == "s3_listen") return SetAddress(key, text, settings.s3_host, settings.s3_port);
  if (key == "store_sync") return SetStoreSync(settings, text);
  if (key == "store_sigv2") return SetStoreSigV2(settings, text);
  if (key == "input_cache") return SetInputCache(settings, text);
  if (key == "hccn_conf") {
    settings.hccn_conf = text;
    return {};
  }
  if (key == "s3_domain") {
    settings.s3_domains = {Lower(text)};
    return {};
  }
  (key == "nodes" ? settings.nodes : settings.engine) = text;
  return {};
}

Status ReadConfiguration(Settings& settings, const std::string& file) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(file, 1 << 20));
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  if (!document) return Fail(Code::kInvalid, FaultText(document.error(), file));
  const auto* object = document->if_object();
  if (object == nullptr) return BadKey(file, "the file", "a map of settings");
  for (const auto& [key, value] : *object) {
    if (std::ranges::find(kKeys, std::string_view(key)) == kKeys.end()) {
      const auto close = DidYouMean(key, kKeys);
      return Fail(Code::kInvalid,
                  fmt::format("{}: unknown key \"{}\"", file, std::string_view(key)),
                  close.empty() ? "known are listen, nodes, engine, cpu_slots, devices, tls, "
                                  "s3_listen, s3_domain, store_sync, store_sigv2, input_cache, "
                                  "hccn_conf"
                                : fmt::format("did you mean \"{}\"?", close));
    }
    MUSTER_TRY(TakeKey(settings, file, key, value));
  }
  return {};
}

}  // namespace

Result<Settings> ReadSettings(const std::vector<std::string>& arguments) {
  const auto table = cli::AllFlags(cli::ServerVerb());
  MUSTER_ASSIGN(const cli::Args args, cli::ParseFlags(table, arguments));
  Settings settings;
  if (args.Has("config")) MUSTER_TRY(ReadConfiguration(settings, args.Get("config")));
  settings.data = args.Has("data") ? os::Path(args.Get("data")) : os::DefaultDataDir();
  if (settings.data.empty()) {
    return Fail(Code::kInvalid, "--data is empty, expected the folder of the server's data",
                "name a folder, or leave the flag out for the usual one");
  }
  std::error_code error;
  settings.data = std::filesystem::absolute(settings.data, error).lexically_normal();
  if (error) return FailErrno(error.value(), "find the current folder");
  if (args.Has("listen")) MUSTER_TRY(SetListen(settings, args.Get("listen")));
  settings.nodes = args.Get("nodes", settings.nodes);
  settings.engine = args.Get("engine", settings.engine);
  settings.tls_certificate = args.Get("tls-cert", settings.tls_certificate);
  settings.tls_key = args.Get("tls-key", settings.tls_key);
  if (args.Has("s3-listen")) {
    MUSTER_TRY(SetAddress("s3-listen", args.Get("s3-listen"), settings.s3_host, settings.s3_port));
  }
  if (args.Has("input-cache")) MUSTER_TRY(SetInputCache(settings, args.Get("input-cache")));
  if (args.Has("s3-domain")) settings.s3_domains = {Lower(args.Get("s3-domain"))};
  if (args.Has("store-sync")) MUSTER_TRY(SetStoreSync(settings, args.Get("store-sync")));
  if (args.Has("store-sigv2")) MUSTER_TRY(SetStoreSigV2(settings, args.Get("store-sigv2")));
  MUSTER_ASSIGN(const auto owner, args.Int("owner", 1, std::numeric_limits<pid_t>::max()));
  if (owner) settings.owner = int(*owner);
  if (settings.engine != "local") {
    return Fail(Code::kInvalid,
                fmt::format("engine \"{}\" is not part of this version", settings.engine),
                "use --engine local");
  }
  return settings;
}

}  // namespace muster::apps
