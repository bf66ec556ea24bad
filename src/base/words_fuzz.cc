#include "base/json.h"
#include "base/testing/fuzz.h"
#include "base/text.h"

namespace {

using muster::Require;

void CheckWords(std::string_view text) {
  const auto words = muster::ShellSplit(text);
  if (!words) return;
  const std::string joined = muster::ShellJoin(*words);
  const auto again = muster::ShellSplit(joined);
  Require(again && *again == *words);
  Require(words->empty() || !muster::NeedsShell(joined));
}

void CheckUnits(std::string_view text) {
  if (const auto ms = muster::ParseDuration(text)) Require(*ms >= 0);
  if (const auto bytes = muster::ParseSize(text)) Require(*bytes >= 0);
}

void CheckText(std::string_view text) {
  const std::string clean = muster::CleanUtf8(text);
  Require(muster::IsUtf8(clean));
  Require(muster::IsUtf8(text) == (clean == text));
  const std::string printable = muster::Printable(text);
  Require(muster::IsUtf8(printable));
  Require(printable.find_first_of("\x1B\n\r") == std::string::npos);
  Require(muster::Printable(printable) == printable);
  Require(muster::DisplayWidth(clean) >= 0);
}

void CheckJson(std::string_view text) {
  const auto value = muster::ParseJson(text);
  if (!value) return;
  const auto again = muster::ParseJson(muster::ToJson(*value));
  // The values may differ: the last bit of a long number is not stable.
  Require(again && again->kind() == value->kind());
}

}  // namespace

// Parsers of text from users and other programs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = muster::FuzzText(data, size);
  CheckWords(text);
  CheckUnits(text);
  CheckText(text);
  CheckJson(text);
  return 0;
}
