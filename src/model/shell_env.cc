#include "model/shell_env.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "model/scalar.h"
#include "model/value_types.h"

namespace muster {
namespace {

constexpr std::string_view kInherit = "inherit";
constexpr std::string_view kNone = "none";
constexpr std::array<std::string_view, 7> kShellNames{
    "PATH", "VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LANGUAGE"};
constexpr std::array<std::string_view, 14> kSecretEndings{
    "token",      "tokens",     "secret",      "secrets", "password", "passwords", "passwd",
    "passphrase", "credential", "credentials", "key",     "keys",     "auth",      "cookie"};
constexpr size_t kLongestValue = 120'000;  // the kernel takes no longer text in an environment

bool Matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern) && !IsSecretName(name);
}

bool IsNameOrPattern(std::string_view text) {
  if (text.ends_with('*')) text.remove_suffix(1);
  return kEnvRule.Fits(text);
}

void AddItem(EnvChoice& choice, std::string_view item) {
  if (item == kInherit) {
    choice.inherit = true;
  } else if (item != kNone) {
    choice.names.emplace_back(item);
  }
}

// `sbatch --export=ALL` takes secrets as well, which is not done silently here.
bool IsAll(std::string_view item) { return Lower(item) == "all"; }

// Every relative folder of a search path as a folder of `folder`.
std::string AbsoluteSearchPath(std::string_view path, std::string_view folder) {
  std::vector<std::string> entries = Split(path, ':');
  for (std::string& entry : entries) {
    if (entry.starts_with('/')) continue;
    entry =
        entry.empty() || entry == "." ? std::string(folder) : fmt::format("{}/{}", folder, entry);
  }
  return Join(entries, ":");
}

}  // namespace

bool IsShellVariable(std::string_view name) {
  if (IsSecretName(name)) return false;
  return name.starts_with("CONDA_") || name.starts_with("LC_") ||
         std::ranges::find(kShellNames, name) != kShellNames.end();
}

bool IsSecretName(std::string_view name) {
  const std::vector<std::string> parts = Split(Lower(name), '_');
  if (parts.size() > 1 && parts.back() == "pwd") return true;
  return std::ranges::any_of(parts, [](std::string_view part) {
    return std::ranges::any_of(kSecretEndings,
                               [part](std::string_view ending) { return part.ends_with(ending); });
  });
}

bool EnvChoice::Takes(std::string_view name) const {
  if (name.starts_with("MUSTER_")) return false;
  if (inherit && IsShellVariable(name)) return true;
  return std::ranges::any_of(names, [name](const auto& pattern) { return Matches(pattern, name); });
}

Result<EnvChoice> ParseEnvChoice(std::string_view text) {
  EnvChoice choice{.inherit = false, .names = {}};
  for (const std::string& item : Split(text, ',')) {
    if (!IsNameOrPattern(item) || IsAll(item)) {
      return Fail(Code::kInvalid,
                  fmt::format("found \"{}\", expected inherit, none, or names of variables",
                              ShortText(item)),
                  "for example inherit,HF_HOME,NCCL_*");
    }
    AddItem(choice, item);
  }
  return choice;
}

EnvChoice TakeEnvChoice(json::object& document) {
  EnvChoice choice;
  json::value* env = document.if_contains("env");
  if (env == nullptr || env->is_object() || env->is_null()) return choice;
  choice.inherit = false;
  json::object values;
  json::array items;
  if (const auto* list = env->if_array()) {
    items = *list;
  } else {
    items.push_back(*env);
  }
  for (const json::value& item : items) {
    const auto* text = item.if_string();
    if (text == nullptr) continue;
    const std::string_view words = *text;
    if (const size_t equals = words.find('='); equals != std::string_view::npos) {
      values[words.substr(0, equals)] = words.substr(equals + 1);
    } else {
      AddItem(choice, words);
    }
  }
  *env = std::move(values);
  return choice;
}

Pairs TakeShellEnv(const EnvChoice& choice, const char* const* entries, std::string_view folder) {
  Pairs taken;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos || entry.size() > kLongestValue || !IsUtf8(entry))
      continue;
    const std::string_view name = entry.substr(0, equals);
    if (!kEnvRule.Fits(name) || !choice.Takes(name)) continue;
    std::string value(entry.substr(equals + 1));
    if (name == "PATH" || name == "LD_LIBRARY_PATH") value = AbsoluteSearchPath(value, folder);
    taken.emplace_back(name, std::move(value));
  }
  return taken;
}

}  // namespace muster
