#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace muster::cli {
namespace {

std::string Filtered(std::string_view bytes) {
  TerminalText text;
  std::string out = text.Take(bytes);
  return out + text.Finish();
}

// The same bytes, handed over one by one.
std::string OneByOne(std::string_view bytes) {
  TerminalText text;
  std::string out;
  for (const char byte : bytes) out += text.Take({&byte, 1});
  return out + text.Finish();
}

struct Case {
  const char* name;
  std::string_view bytes;
  std::string_view shown;
};

using namespace std::string_view_literals;

class TerminalTextCases : public testing::TestWithParam<Case> {};

TEST_P(TerminalTextCases, AreShownSafelyWholeAndInPieces) {
  EXPECT_EQ(Filtered(GetParam().bytes), GetParam().shown);
  EXPECT_EQ(OneByOne(GetParam().bytes), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    All, TerminalTextCases,
    testing::Values(Case{"Text", "a\tb\r\n\u4e2d\u6587 \U0001F680",
                         "a\tb\r\n\u4e2d\u6587 \U0001F680"},
                    Case{"Colours", "\x1b[1;31mred\x1b[0m \x1b[38;5;9mx\x1b[m",
                         "\x1b[1;31mred\x1b[0m \x1b[38;5;9mx\x1b[m"},
                    Case{"ColoursAreSwitchedOffAtTheEnd", "\x1b[31mred", "\x1b[31mred\x1b[0m"},
                    Case{"Bar", "\r 10%|#\r 20%|##", "\r 10%|#\r 20%|##"},
                    Case{"CursorMovements", "a\x1b[2J\x1b[1;1H\x1b[Ab\x1b[K\x1b[?25l", "ab"},
                    Case{"PrivateSgr", "\x1b[>4;2mx\x1b[?1m", "x"},
                    Case{"Title", "a\x1b]0;title\ab", "ab"},
                    Case{"Clipboard", "a\x1b]52;c;Zm9v\x1b\\b", "ab"},
                    Case{"Link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
                    Case{"DeviceControl", "a\x1bP+q544e\x1b\\b\x1b^x\x1b\\c\x1b_y\x1b\\d", "abcd"},
                    Case{"OpenStringDoesNotHideTheLine", "a\x1b]0;text\nb", "a0;text\nb"},
                    Case{"OpenStringDoesNotHideTheEnd", "a\x1b]0;text", "a0;text"},
                    Case{"Charsets",
                         "a\x1b(0b\x1b)Bc\x1b=d\x1b"
                         "ce",
                         "abcde"},
                    Case{"C1",
                         "a\xC2\x9B"
                         "31mb\xC2\x9D"
                         "c",
                         "a31mbc"},
                    Case{"RawC1",
                         "a\x9B"
                         "31mb",
                         "a\uFFFD31mb"},
                    Case{"Bidirectional",
                         "a\xE2\x80\xAE"
                         "b\xE2\x81\xA6"
                         "c\xD8\x9C"
                         "d",
                         "abcd"},
                    Case{"OtherControls",
                         "a\0b\a\b\x0E\x0F\x7F"
                         "c"sv,
                         "abc"},
                    Case{"InvalidUtf8",
                         "a\xFF\xC3"
                         "b\xE4\xB8",
                         "a\uFFFD\uFFFDb\uFFFD"},
                    Case{"LineEndWithinASequence", "a\x1b[12\nb\x1b\nc", "a\nb\nc"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TerminalText, MemoryOfAnOpenSequenceIsBounded) {
  TerminalText text;
  std::string out = text.Take("\x1b]");
  for (int i = 0; i < 1000; ++i) out += text.Take(std::string(1000, 'x'));
  EXPECT_EQ(out.size() + text.Finish().size(), 1'000'000u);
}

}  // namespace
}  // namespace muster::cli
