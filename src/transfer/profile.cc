#include "transfer/profile.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "http/url.h"
#include "model/spec_reader.h"
#include "transfer/ini.h"

namespace muster::transfer {
namespace {

using Settings = std::map<std::string, std::string>;

std::string Get(const Settings& settings, const std::string& name) {
  const auto it = settings.find(name);
  return it == settings.end() ? "" : it->second;
}

std::string FirstOf(std::initializer_list<std::string> candidates) {
  for (const std::string& text : candidates) {
    if (!text.empty()) return text;
  }
  return {};
}

// The settings of one profile of ~/.aws, from both files; empty if neither has it.
Settings AwsProfile(const ProfileSources& sources, const std::string& name) {
  Settings settings;
  for (const std::string& text : {sources.aws_credentials, sources.aws_config}) {
    const IniSections sections = ReadIni(text);
    if (const auto it = sections.find(name); it != sections.end()) {
      settings.insert(it->second.begin(), it->second.end());
    }
  }
  return settings;
}

Result<json::object> YamlProfiles(const ProfileSources& sources) {
  if (sources.profiles.empty()) return json::object();
  const auto document = ReadDocument(sources.profiles, TextFormat::kGuess, nullptr);
  if (!document) {
    return Fail(Code::kInvalid, FaultText(document.error(), sources.profiles_path));
  }
  const json::object* root = document->if_object();
  const json::object* profiles = root == nullptr ? nullptr : GetObject(*root, "profiles");
  if (profiles == nullptr) {
    return Fail(Code::kInvalid,
                fmt::format("{}: expected a map \"profiles\"", sources.profiles_path),
                "profiles: {NAME: {endpoint: …, access_key: …, secret_key: …}}");
  }
  return *profiles;
}

constexpr std::string_view kProfileKeys[] = {
    "endpoint", "region", "access_key", "secret_key", "style", "session_token", "ca_file"};

Result<Settings> FromYaml(const ProfileSources& sources, const std::string& name,
                          const json::value& value) {
  Settings settings;
  const json::object* object = value.if_object();
  if (object == nullptr) {
    return Fail(Code::kInvalid, fmt::format("{}: profiles.{}: expected a map",
                                            sources.profiles_path, Printable(name)));
  }
  for (const auto& [key, setting] : *object) {
    const bool known =
        std::ranges::find(kProfileKeys, std::string_view(key)) != std::end(kProfileKeys);
    if (!known || !setting.is_string()) {
      const auto close = DidYouMean(key, kProfileKeys);
      return Fail(Code::kInvalid,
                  fmt::format("{}: profiles.{}.{}: {}", sources.profiles_path, Printable(name),
                              Printable(key), known ? "expected a text" : "unknown key"),
                  close.empty() || known ? "" : fmt::format("did you mean {}?", close));
    }
    settings[std::string(key)] = std::string_view(setting.get_string());
  }
  return settings;
}

// Hosts that require virtual-host addressing.
bool WantsVirtualHost(std::string_view endpoint) {
  return endpoint.ends_with(".amazonaws.com") || endpoint.ends_with(".myhuaweicloud.com");
}

Status SetStyle(Profile& profile, const std::string& style) {
  profile.path_style =
      style.empty() || style == "auto" ? !WantsVirtualHost(profile.endpoint) : style == "path";
  if (!style.empty() && style != "path" && style != "virtual" && style != "auto") {
    return Fail(Code::kInvalid, fmt::format("{}: style: found {}, expected path or virtual",
                                            profile.name, ShellQuote(Printable(style))));
  }
  return {};
}

// Normalises the endpoint and checks that all required settings are present.
Result<Profile> Checked(Profile profile, const std::string& style) {
  while (profile.endpoint.ends_with('/')) profile.endpoint.pop_back();
  if (!profile.endpoint.empty() && profile.endpoint.find("://") == std::string::npos) {
    profile.endpoint = "https://" + profile.endpoint;
  }
  if (profile.region.empty()) profile.region = "us-east-1";
  if (profile.endpoint.empty()) {
    return Fail(Code::kInvalid, fmt::format("{}: it has no endpoint", profile.name),
                "add one, such as endpoint: https://obs.cn-north-4.myhuaweicloud.com");
  }
  auto url = http::ParseUrl(profile.endpoint);
  if (!url) {
    url.error().text = fmt::format("{}: {}", profile.name, url.error().text);
    return std::unexpected(std::move(url).error());
  }
  MUSTER_TRY(SetStyle(profile, style));
  if (profile.access_key.empty() || profile.secret_key.empty()) {
    return Fail(Code::kInvalid,
                fmt::format("{}: the {} is missing", profile.name,
                            profile.access_key.empty() ? "access key" : "secret key"),
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write both into the profile");
  }
  return profile;
}

Result<Profile> OfYaml(const ProfileSources& sources, const std::string& name,
                       const json::value& value) {
  MUSTER_ASSIGN(const Settings settings, FromYaml(sources, name, value));
  Profile profile{.name = "profile " + Printable(name)};
  profile.endpoint = FirstOf({sources.endpoint, Get(settings, "endpoint")});
  profile.region = FirstOf({sources.region, Get(settings, "region")});
  profile.access_key = Get(settings, "access_key");
  profile.secret_key = Get(settings, "secret_key");
  profile.session_token = Get(settings, "session_token");
  profile.ca_file = Get(settings, "ca_file");
  return Checked(std::move(profile), FirstOf({sources.style, Get(settings, "style")}));
}

// The keys of the environment if present, else those of `settings`.
Result<Profile> OfAws(const ProfileSources& sources, std::string name, const Settings& settings,
                      bool environment_first) {
  const Settings& environment = sources.environment;
  const bool own_keys = environment_first && !Get(environment, "AWS_ACCESS_KEY_ID").empty();
  Profile profile{.name = std::move(name)};
  profile.region =
      FirstOf({sources.region, Get(environment, "AWS_REGION"),
               Get(environment, "AWS_DEFAULT_REGION"), Get(settings, "region"), "us-east-1"});
  profile.endpoint = FirstOf({sources.endpoint, Get(environment, "AWS_ENDPOINT_URL_S3"),
                              Get(environment, "AWS_ENDPOINT_URL"),
                              Get(settings, "s3.endpoint_url"), Get(settings, "endpoint_url"),
                              fmt::format("https://s3.{}.amazonaws.com", profile.region)});
  profile.access_key =
      own_keys ? Get(environment, "AWS_ACCESS_KEY_ID") : Get(settings, "aws_access_key_id");
  profile.secret_key =
      own_keys ? Get(environment, "AWS_SECRET_ACCESS_KEY") : Get(settings, "aws_secret_access_key");
  profile.session_token =
      own_keys ? Get(environment, "AWS_SESSION_TOKEN") : Get(settings, "aws_session_token");
  profile.ca_file = FirstOf({Get(environment, "AWS_CA_BUNDLE"), Get(settings, "ca_bundle")});
  return Checked(std::move(profile),
                 FirstOf({sources.style, Get(settings, "s3.addressing_style")}));
}

Result<Profile> Named(const ProfileSources& sources, const json::object& profiles) {
  if (const json::value* value = profiles.if_contains(sources.wanted)) {
    return OfYaml(sources, sources.wanted, *value);
  }
  const Settings settings = AwsProfile(sources, sources.wanted);
  if (!settings.empty()) {
    return OfAws(sources, "profile " + Printable(sources.wanted), settings, false);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : profiles) names.emplace_back(name);
  return Fail(Code::kNotFound,
              fmt::format("there is no profile {}", ShellQuote(Printable(sources.wanted))),
              names.empty()
                  ? fmt::format("write it into {}", sources.profiles_path)
                  : fmt::format("{} has {}", sources.profiles_path, Printable(Join(names, ", "))));
}

Result<Profile> OfServer(const ProfileSources& sources) {
  const auto value = ParseJson(sources.server);
  const json::object* root = value ? value->if_object() : nullptr;
  const json::object* s3 = root == nullptr ? nullptr : GetObject(*root, "s3");
  if (s3 == nullptr) {
    return Fail(Code::kNotFound, "the running server tells of no object store",
                "name another with --profile, --endpoint or AWS_ENDPOINT_URL");
  }
  Profile profile{.name = "this server's store"};
  profile.endpoint = GetString(*s3, "endpoint");
  profile.access_key = GetString(*s3, "access_key");
  profile.secret_key = GetString(*s3, "secret_key");
  profile.region = GetString(*s3, "region");
  return Checked(std::move(profile), "path");
}

}  // namespace

Result<Profile> ChooseProfile(const ProfileSources& sources) {
  const Settings& environment = sources.environment;
  MUSTER_ASSIGN(const json::object profiles, YamlProfiles(sources));
  if (!sources.wanted.empty()) return Named(sources, profiles);
  const std::string aws_profile = Get(environment, "AWS_PROFILE");
  const Settings settings = AwsProfile(sources, FirstOf({aws_profile, "default"}));
  if (!sources.endpoint.empty()) return OfAws(sources, "--endpoint", settings, true);
  if (!FirstOf({Get(environment, "AWS_ENDPOINT_URL_S3"), Get(environment, "AWS_ENDPOINT_URL")})
           .empty()) {
    return OfAws(sources, "AWS_ENDPOINT_URL", settings, true);
  }
  if (!aws_profile.empty()) {
    if (settings.empty()) {
      return Fail(Code::kNotFound,
                  fmt::format("there is no profile {} in ~/.aws, which AWS_PROFILE names",
                              ShellQuote(Printable(aws_profile))));
    }
    return OfAws(sources, "profile " + Printable(aws_profile), settings, false);
  }
  if (const json::value* value = profiles.if_contains("default")) {
    return OfYaml(sources, "default", *value);
  }
  if (!sources.server.empty()) return OfServer(sources);
  return Fail(Code::kNotFound, "no object store is known: no server runs here, and none is named",
              "start one: muster server, or use --profile, --endpoint or AWS_ENDPOINT_URL");
}

}  // namespace muster::transfer
