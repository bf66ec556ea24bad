#include "launcher/environment.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/shell_env.h"

namespace muster::launcher {
namespace {

constexpr std::string_view kService[] = {
    "NOTIFY_SOCKET", "LISTEN_FDS",   "LISTEN_PID",    "LISTEN_FDNAMES",
    "WATCHDOG_USEC", "WATCHDOG_PID", "INVOCATION_ID", "JOURNAL_STREAM",
    "OLDPWD",        "PWD",          "SHLVL",         "_",
    "DISPLAY",       "XAUTHORITY",   "WINDOWID",      "DBUS_SESSION_BUS_ADDRESS",
    "TMUX",          "TMUX_PANE",    "STY",           "XDG_SESSION_ID"};

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool IsPrivate(std::string_view name) {
  return name.starts_with("MUSTER_") || name.starts_with("SSH_") || name.starts_with("SUDO_") ||
         std::ranges::find(kService, name) != std::end(kService) || IsSecretName(name);
}

}  // namespace

Environment Environment::Inherited(const char* const* entries, Part part) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries) {
    const std::string_view name = NameOf(*entries);
    // A job always has a PATH: its submitter's replaces this one.
    const bool dropped = part == Part::kWithoutShell && name != "PATH" && IsShellVariable(name);
    if (!dropped && !IsPrivate(name)) environment.entries_.emplace_back(*entries);
  }
  return environment;
}

Environment Environment::Of(std::span<const std::string> entries) {
  Environment environment;
  for (const auto& entry : entries)
    if (entry.find('=') != std::string::npos) environment.SetEntry(entry);
  return environment;
}

void Environment::Set(std::string name, std::string value) {
  SetEntry(std::move(name) + "=" + std::move(value));
}

void Environment::Set(const Pairs& pairs) {
  for (const auto& [name, value] : pairs) Set(name, value);
}

void Environment::SetEntry(std::string entry) {
  const auto same = [name = NameOf(entry)](const std::string& other) {
    return NameOf(other) == name;
  };
  const auto it = std::ranges::find_if(entries_, same);
  if (it == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    *it = std::move(entry);
  }
}

std::string Environment::Get(std::string_view name) const {
  const auto it =
      std::ranges::find_if(entries_, [&](const auto& entry) { return NameOf(entry) == name; });
  return it == entries_.end() ? std::string() : it->substr(name.size() + 1);
}

bool Environment::Has(std::string_view name) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) { return NameOf(entry) == name; });
}

}  // namespace muster::launcher
