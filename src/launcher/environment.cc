#include "launcher/environment.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace muster::launcher {
namespace {

constexpr std::string_view kPrivate[] = {"NOTIFY_SOCKET",  "LISTEN_FDS",    "LISTEN_PID",
                                         "LISTEN_FDNAMES", "WATCHDOG_USEC", "WATCHDOG_PID"};

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool IsPrivate(std::string_view name) {
  return name.starts_with("MUSTER_") || std::ranges::find(kPrivate, name) != std::end(kPrivate);
}

}  // namespace

Environment Environment::Inherited(const char* const* entries) {
  Environment environment;
  for (; entries != nullptr && *entries != nullptr; ++entries)
    if (!IsPrivate(NameOf(*entries))) environment.entries_.emplace_back(*entries);
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
