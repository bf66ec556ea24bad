#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::checkup {

enum class Language { kPython, kShell };

const char* Name(Language language);  // "python", "shell"

// By the name's ending, else by the first line ("#!/usr/bin/env python3"); nothing when neither
// tells.
std::optional<Language> LanguageOf(std::string_view name, std::string_view text);

struct Script {
  std::string name;  // as the user wrote it
  Language language = Language::kShell;
  std::string text;  // any bytes
};

}  // namespace muster::checkup
