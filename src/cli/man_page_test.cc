#include "cli/man_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace muster::cli {
namespace {

using testing::HasSubstr;

// As troff wants it; the texts of flags and examples have hyphens, dots and no backslashes.
std::string Hyphens(std::string_view text) {
  std::string made;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("…")) {
      made += "\\[u2026]";
      at += 2;
    } else {
      made += text[at] == '-' ? "\\-" : std::string(1, text[at]);
    }
  }
  return made;
}

TEST(ManPage, MusterListsEveryVerb) {
  const std::string page = ManPageOfMuster();
  EXPECT_TRUE(page.starts_with(".TH MUSTER 1 "));
  for (const Verb& verb : Verbs()) EXPECT_THAT(page, HasSubstr(fmt::format(".B {}\n", verb.name)));
}

TEST(ManPage, VerbHasItsSummaryFlagsAndExamples) {
  for (const Verb& verb : Verbs()) {
    const std::string page = ManPageOf(verb);
    EXPECT_THAT(page, HasSubstr(Hyphens(verb.summary)));
    for (const Flag& flag : AllFlags(verb)) {
      EXPECT_THAT(page, HasSubstr(Hyphens(fmt::format("--{}", flag.name)))) << verb.name;
      EXPECT_THAT(page, HasSubstr(Hyphens(flag.help))) << verb.name;
    }
    for (const Example& example : verb.examples)
      EXPECT_THAT(page, HasSubstr(Hyphens(example.what))) << verb.name;
    for (const Verb& other : Verbs())
      if (other.name != verb.name)
        EXPECT_THAT(page, HasSubstr(fmt::format(".BR muster\\-{} (1)", other.name)));
  }
}

TEST(ManPage, NoTextBecomesARequestOrAnEscape) {
  const Verb verb{.name = "odd",
                  .aliases = {},
                  .summary = ".so /etc/passwd \\n-x\n.ab",
                  .flags = {},
                  .examples = {}};
  EXPECT_THAT(ManPageOf(verb), HasSubstr("odd \\- \\&.so /etc/passwd \\en\\-x\n\\&.ab\n"));
}

TEST(ManPage, CharactersBeyondAsciiAreNamedByTheirNumber) {
  const Verb verb{.name = "odd", .aliases = {}, .summary = "a…é中🎉z", .flags = {}, .examples = {}};
  EXPECT_THAT(ManPageOf(verb), HasSubstr("a\\[u2026]\\[u00E9]\\[u4E2D]\\[u1F389]z\n"));
}

}  // namespace
}  // namespace muster::cli
