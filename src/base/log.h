#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster {

enum class Level { kDebug, kInfo, kWarning, kError };

// Writes one line, "2026-01-31T14:05:09.123Z warning text", to standard error if the level reaches
// the threshold. Any thread. Never pass a token or another secret.
void LogLine(Level level, std::string_view text);
void SetLogThreshold(Level level);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(Level::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(Level::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogLine(Level::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace muster
