#include "checkup/script.h"

namespace muster::checkup {

const char* Name(Language language) { return language == Language::kPython ? "python" : "shell"; }

std::optional<Language> LanguageOf(std::string_view name, std::string_view text) {
  if (name.ends_with(".py")) return Language::kPython;
  if (name.ends_with(".sh") || name.ends_with(".bash")) return Language::kShell;
  if (!text.starts_with("#!")) return std::nullopt;
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.contains("python")) return Language::kPython;
  if (first.contains("sh")) return Language::kShell;
  return std::nullopt;
}

}  // namespace muster::checkup
