#include "cli/table.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/testing/capture_screen.h"

namespace muster::cli {
namespace {

TEST(TableTest, ColumnsAreAlignedByDisplayWidth) {
  CaptureScreen screen;
  Table table({{"ID", true}, {"NAME"}, {"STATE"}});
  table.Add({"7", "训练", "running"});
  table.Add({"12", "resnet50", "queued"});
  EXPECT_EQ(table.Render(screen),
            "ID  NAME      STATE\n"
            " 7  训练      running\n"
            "12  resnet50  queued\n");
}

TEST(TableTest, EmptyColumnsAreOmitted) {
  CaptureScreen screen;
  Table table({{"ID"}, {"GROUP"}, {"STATE"}});
  table.Add({"1", "", "queued"});
  EXPECT_EQ(table.Render(screen), "ID  STATE\n1   queued\n");
}

TEST(TableTest, RowsDoNotWrapOnATerminal) {
  CaptureScreen screen;
  screen.BeTerminal(24);
  Table table({{"ID"}, {"NAME"}, {"REMARK"}});
  table.Add({"1", "a-name-that-is-long", "needs 8 npu on each of 2 nodes"});
  for (const std::string& line : Split(table.Render(screen, 2), '\n'))
    EXPECT_LE(DisplayWidth(line), 24) << line;
}

TEST(TableTest, PipeWithoutAWidthCutsNothing) {
  CaptureScreen screen;
  Table table({{"REMARK"}});
  const std::string remark(500, 'x');
  table.Add({remark});
  EXPECT_NE(table.Render(screen).find(remark), std::string::npos);
}

TEST(TableTest, CellsContainNoControlSequences) {
  CaptureScreen screen;
  Table table({{"NAME"}});
  table.Add({"a\x1b[2Jb\nc"});
  const std::string text = table.Render(screen);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(Split(text, '\n').size(), 3u);  // header, row, and the rest after the last newline
}

TEST(TableTest, ColoursDoNotCountAsWidth) {
  CaptureScreen screen;
  screen.colours = true;
  Table table({{"STATE"}, {"N"}});
  table.Add({Cell("failed", Paint::kRed), "1"});
  table.Add({"queued", "2"});
  const std::string text = table.Render(screen);
  EXPECT_NE(text.find("\x1b[31mfailed\x1b[0m  1\n"), std::string::npos);
  EXPECT_NE(text.find("queued  2\n"), std::string::npos);
}

TEST(CutToWidthTest, CutsBetweenCharactersAndMarksTheCut) {
  EXPECT_EQ(CutToWidth("resnet", 6), "resnet");
  EXPECT_EQ(CutToWidth("resnet", 4), "res…");
  EXPECT_EQ(CutToWidth("训练任务", 5), "训练…");
  EXPECT_EQ(CutToWidth("训练任务", 4), "训…");
  EXPECT_EQ(CutToWidth("abc", 1), "…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(FactsTest, PairsWithoutValueAreOmitted) {
  CaptureScreen screen;
  EXPECT_EQ(Facts(screen, {{"name", "x"}, {"group", ""}, {"framework", "custom"}}, 2),
            "  name       x\n  framework  custom\n");
}

}  // namespace
}  // namespace muster::cli
