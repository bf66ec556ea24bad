#include "transfer/profile_files.h"

#include <sys/stat.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

extern char** environ;

namespace muster::transfer {
namespace {

constexpr int64_t kLargest = 1 << 20;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// A path below the home folder; empty if there is no home folder.
os::Path BelowHome(std::string_view path) {
  const std::string home = Environment("HOME");
  return home.empty() ? os::Path() : os::Path(home) / path;
}

os::Path FromVariable(const char* name, const os::Path& fallback) {
  const std::string value = Environment(name);
  return value.empty() ? fallback : os::Path(value);
}

Result<std::string> ReadIfThere(const os::Path& path, bool secret) {
  struct stat info = {};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return std::string();
  // A device contains no profile: /dev/null is the usual way to name no file.
  if (secret && S_ISREG(info.st_mode) && (info.st_mode & 077) != 0) {
    return Fail(Code::kDenied,
                fmt::format("{} holds a secret, but its mode {:o} lets others read it",
                            path.string(), info.st_mode & 0777),
                fmt::format("chmod 600 {}", ShellQuote(path.string())));
  }
  return os::ReadFile(path, kLargest);
}

os::Path ProfilesPath() {
  const os::Path folder = FromVariable("XDG_CONFIG_HOME", BelowHome(".config"));
  return FromVariable("MUSTER_PROFILES",
                      folder.empty() ? os::Path() : folder / "muster/profiles.yaml");
}

}  // namespace

Result<ProfileSources> ReadProfileSources(const ProfileChoice& choice, const std::string& wanted) {
  ProfileSources sources;
  sources.wanted = wanted;
  sources.endpoint = choice.endpoint;
  sources.region = choice.region;
  sources.style = choice.style;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (!text.starts_with("AWS_") || equals == std::string_view::npos) continue;
    sources.environment[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  }
  const os::Path profiles = ProfilesPath();
  sources.profiles_path = profiles.string();
  MUSTER_ASSIGN(sources.profiles, ReadIfThere(profiles, true));
  MUSTER_ASSIGN(sources.aws_config,
                ReadIfThere(FromVariable("AWS_CONFIG_FILE", BelowHome(".aws/config")), false));
  MUSTER_ASSIGN(sources.aws_credentials, ReadIfThere(FromVariable("AWS_SHARED_CREDENTIALS_FILE",
                                                                  BelowHome(".aws/credentials")),
                                                     false));
  if (!choice.data.empty()) {
    MUSTER_ASSIGN(sources.server, ReadIfThere(choice.data / "endpoint.json", true));
  }
  return sources;
}

Result<Profile> FindProfile(const ProfileChoice& choice, const std::string& wanted) {
  MUSTER_ASSIGN(const ProfileSources sources, ReadProfileSources(choice, wanted));
  return ChooseProfile(sources);
}

os::Path DefaultRecordFolder() {
  const os::Path folder = FromVariable("XDG_STATE_HOME", BelowHome(".local/state"));
  return folder.empty() ? os::Path() : folder / "muster/transfers";
}

}  // namespace muster::transfer
