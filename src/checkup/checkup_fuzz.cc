// Scripts of users, in either language.
#include "base/testing/fuzz.h"
#include "base/text.h"
#include "checkup/examine.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  using namespace muster::checkup;
  const auto [which, text] = Choose(data, size, 2);
  const Script script{which == 0 ? "x.py" : "x.sh",
                      which == 0 ? Language::kPython : Language::kShell, std::string(text)};
  const auto lines = 1 + std::ranges::count(text, '\n');
  Surroundings here;
  for (const std::string& path : NamedPaths(script)) {
    Require(!path.empty() && !path.contains('\0') && path.size() <= 1024);
    here.missing.insert(path);
  }
  for (const Finding& finding : Examine(script, here)) {
    Require(finding.line >= 0 && finding.line <= lines);
    Require(IsUtf8(finding.said) && finding.said.size() < 128);
    Require(!finding.said.contains('\x1b') && !finding.reason.contains('\n'));
    Require(!finding.reason.empty() && !finding.next.empty());
  }
  return 0;
}
