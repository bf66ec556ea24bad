#include "cli/log_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/capture_screen.h"

namespace muster::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

http::SseEvent Event(const std::string& kind, const json::object& data,
                     const std::string& id = "") {
  http::SseEvent event;
  event.event = kind;
  event.id = id;
  event.data = ToJson(data);
  return event;
}

http::SseEvent Log(int rank, const std::string& text, int attempt = 1) {
  return Event("log", {{"attempt", attempt}, {"rank", rank}, {"offset", 0}, {"text", text}});
}

http::SseEvent State(const std::string& state, const std::string& reason = "") {
  return Event("state", {{"state", state}, {"reason", reason}});
}

class LogViewTest : public testing::Test {
 protected:
  LogView View() { return LogView(screen_, clock_, options_); }

  CaptureScreen screen_;
  FakeClock clock_;
  LogViewOptions options_;
};

TEST_F(LogViewTest, OutputOfOneRankIsUnchanged) {
  LogView view = View();
  view.Take(Log(0, "epoch 1\nepoch"));
  view.Take(Log(0, " 2\n\x1b[1mbold\x1b[0m\n"));
  EXPECT_EQ(screen_.out, "epoch 1\nepoch 2\n\x1b[1mbold\x1b[0m\n");
}

TEST_F(LogViewTest, SeveralRanksGetAPrefixOnEveryLine) {
  options_.lines.prefixes = true;
  LogView view = View();
  view.Take(Log(0, "a\nb\n"));
  view.Take(Log(3, "c\n"));
  EXPECT_EQ(screen_.out, "[rank 0] a\n[rank 0] b\n[rank 3] c\n");
}

TEST_F(LogViewTest, ContinuedLineGetsNoSecondPrefix) {
  options_.lines.prefixes = true;
  LogView view = View();
  view.Take(Log(0, "half"));
  view.Take(Log(0, " whole\n"));
  EXPECT_EQ(screen_.out, "[rank 0] half whole\n");
}

TEST_F(LogViewTest, IncompleteLineOfAnotherRankIsEndedFirst) {
  options_.lines.prefixes = true;
  LogView view = View();
  view.Take(Log(0, "open"));
  view.Take(Log(1, "other\n"));
  view.Take(Log(0, " end\n"));
  EXPECT_EQ(screen_.out, "[rank 0] open\n[rank 1] other\n[rank 0]  end\n");
}

TEST_F(LogViewTest, ProgressBarKeepsItsPrefix) {
  options_.lines.prefixes = true;
  LogView view = View();
  view.Take(Log(0, "10%\r20%\r"));
  view.Take(Log(0, "30%\r\n"));
  view.Take(Log(0, "done\n"));
  EXPECT_EQ(screen_.out, "[rank 0] 30%\n[rank 0] done\n");
}

TEST_F(LogViewTest, BarsOfSeveralRanksAreRedrawnAboveTheStatusLine) {
  options_.lines.prefixes = options_.live = true;
  options_.title = "job 1";
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(State("running"));
  for (const char* bar : {"\r10%", "\r20%"})
    for (const int rank : {0, 1}) view.Take(Log(rank, bar));
  EXPECT_THAT(screen_.out, EndsWith("\r\x1b[K[rank 0] 20%\n[rank 1] 20%\njob 1 · running · 0s"));
  EXPECT_THAT(screen_.out, HasSubstr("\r\x1b[2A\x1b[J")) << "the block is erased as a whole";
  view.Take(Log(0, "\r30%\n"));
  EXPECT_THAT(screen_.out, HasSubstr("\x1b[J[rank 0] 30%\n"));
  screen_.out.clear();
  view.Take(Event("end", {{"state", "succeeded"}, {"reason", ""}, {"exit_code", 0}}));
  EXPECT_EQ(screen_.out, "\r\x1b[1A\x1b[J[rank 1] 20%\n") << "an unfinished bar is not lost";
}

TEST_F(LogViewTest, StatusLineOfANarrowedTerminalIsErasedWhole) {
  options_.live = true;
  options_.title = "job 1";
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(State("running", "a reason that fills the line of the terminal to sixty columns"));
  screen_.width = 30;
  screen_.out.clear();
  view.Clear();
  EXPECT_EQ(screen_.out, "\r\x1b[2A\x1b[J");
}

TEST_F(LogViewTest, RemarksDoNotLandBehindAnUnfinishedBar) {
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(Log(0, "\r 50%|##"));
  view.Finish();
  EXPECT_THAT(screen_.out, EndsWith("50%|##\n"));
}

TEST_F(LogViewTest, OnATerminalOnlyColoursAndCarriageReturnsPass) {
  options_.safe = true;
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(Log(0, "\x1b[31mred\x1b]0;ti"));
  view.Take(Log(0, "tle\a\x1b[2J\r\n"));
  EXPECT_EQ(screen_.out, "\x1b[31mred\r\n");
}

TEST_F(LogViewTest, LinesHaveTheirTimesAndOnlyMatchingLinesAreShown) {
  options_.lines = {.prefixes = true, .times = true, .keep = [](std::string_view line) {
                      return line.contains("loss");
                    }};
  LogView view = View();
  const auto log = [](int rank, const std::string& text, int64_t wall_ms) {
    return Event("log", {{"attempt", 1}, {"rank", rank}, {"text", text}, {"wall_ms", wall_ms}});
  };
  view.Take(log(0, "lo", 1000));
  view.Take(log(1, "no\nloss 2\n", 2000));
  view.Take(log(0, "ss 1\nend\n", 3000));
  EXPECT_EQ(screen_.out,
            "[rank 1] 1970-01-01T00:00:02.000Z loss 2\n[rank 0] 1970-01-01T00:00:01.000Z loss 1\n");
}

TEST_F(LogViewTest, PrefixesAreColouredOnATerminal) {
  options_.lines.prefixes = true;
  screen_.BeTerminal(80);
  screen_.colours = true;
  LogView view = View();
  view.Take(Log(0, "a\n"));
  view.Take(Log(1, "b\n"));
  EXPECT_EQ(screen_.out, "\x1b[36m[rank 0]\x1b[0m a\n\x1b[33m[rank 1]\x1b[0m b\n");
}

TEST_F(LogViewTest, StatesGoToStandardErrorIfOutputIsAPipe) {
  options_.tell_states = true;
  options_.title = "job 17";
  LogView view = View();
  view.Take(State("queued", "needs 8 npu"));
  view.Take(State("queued", "needs 8 npu"));
  view.Take(State("running"));
  view.Take(Log(0, "x\n"));
  view.Tick();
  EXPECT_EQ(screen_.out, "x\n");
  EXPECT_EQ(screen_.err, "muster: job 17 is queued: needs 8 npu\nmuster: job 17 is running\n");
}

TEST_F(LogViewTest, StatusLineIsDrawnBelowTheOutputAndRemoved) {
  options_.live = true;
  options_.title = "job 17";
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(State("running"));
  clock_.Advance(63'000);
  view.Take(
      Event("progress", {{"attempt", 1}, {"rank", 0}, {"text", "epoch 2/3 · 11800 items/s"}}));
  EXPECT_THAT(screen_.out,
              EndsWith("\r\x1b[Kjob 17 · running · 1m 03s · epoch 2/3 · 11800 items/s"));
  screen_.out.clear();
  view.Take(Log(0, "loss 0.5\n"));
  EXPECT_THAT(screen_.out, testing::StartsWith("\r\x1b[Kloss 0.5\n\r\x1b[Kjob 17"));
  screen_.out.clear();
  view.Take(Event("end", {{"state", "succeeded"}, {"reason", ""}, {"exit_code", 0}}));
  EXPECT_EQ(screen_.out, "\r\x1b[K");
  ASSERT_TRUE(view.end());
  EXPECT_EQ(view.end()->exit_code, 0);
}

TEST_F(LogViewTest, IncompleteLineIsNotOverwritten) {
  options_.live = true;
  screen_.BeTerminal(80);
  LogView view = View();
  view.Take(State("running"));
  view.Take(Log(0, "Password: "));
  screen_.out.clear();
  view.Tick();
  EXPECT_EQ(screen_.out, "");
}

TEST_F(LogViewTest, StatusLineNeverWraps) {
  options_.live = true;
  options_.title = "job 17";
  screen_.BeTerminal(20);
  LogView view = View();
  view.Take(State("queued", "needs 8 npu on each of 2 nodes"));
  EXPECT_THAT(screen_.out, EndsWith("…"));
}

TEST_F(LogViewTest, NewAttemptIsReported) {
  LogView view = View();
  view.Take(Log(0, "first\n", 1));
  view.Take(Log(0, "second\n", 2));
  EXPECT_EQ(screen_.err, "muster: attempt 2 begins\n");
  EXPECT_EQ(screen_.out, "first\nsecond\n");
}

TEST_F(LogViewTest, JsonHasOneObjectPerLineWithTheWholeEvent) {
  options_.as_json = true;
  LogView view = View();
  http::SseEvent log = Log(1, "x\n");
  log.id = "1;1:2";
  view.Take(log);
  view.Take(Event("end", {{"state", "failed"}, {"reason", "r"}, {"exit_code", 7}}));
  EXPECT_EQ(screen_.out,
            "{\"event\":\"log\",\"id\":\"1;1:2\",\"attempt\":1,\"rank\":1,\"offset\":0,\"text\":"
            "\"x\\n\"}\n"
            "{\"event\":\"end\",\"state\":\"failed\",\"reason\":\"r\",\"exit_code\":7}\n");
  EXPECT_EQ(view.end()->exit_code, 7);
}

TEST_F(LogViewTest, InvalidAndUnknownEventsAreIgnored) {
  LogView view = View();
  http::SseEvent odd;
  odd.event = "log";
  odd.data = "{not json";
  view.Take(odd);
  view.Take(Event("novelty", {{"x", 1}}));
  view.Take(Event("log", {{"text", 5}, {"rank", "a"}}));
  EXPECT_EQ(screen_.out, "");
  EXPECT_FALSE(view.broken());
}

TEST_F(LogViewTest, ClosedPipeIsDetected) {
  LogView view = View();
  screen_.broken = true;
  view.Take(Log(0, "x\n"));
  EXPECT_TRUE(view.broken());
}

TEST_F(LogViewTest, ReasonsContainNoControlSequences) {
  options_.tell_states = true;
  LogView view = View();
  view.Take(State("queued", "a\x1b[2Jb"));
  EXPECT_THAT(screen_.err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace muster::cli
