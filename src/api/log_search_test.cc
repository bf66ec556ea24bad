#include "api/log_search.h"

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LogSearchTest : public testing::Test {
 protected:
  void Write(const std::string& text) {
    ASSERT_TRUE(os::WriteFileAtomic(file_, text, 0600, false));
  }
  std::vector<std::string> Texts(LogSearch search) {
    std::vector<std::string> texts;
    for (LogHit& hit : SearchLog(file_, search).value().hits) texts.push_back(std::move(hit.text));
    return texts;
  }

  os::TempDir dir_;
  os::Path file_ = dir_ / "rank0.log";
};

TEST_F(LogSearchTest, FindsLinesWithTheirOffsets) {
  Write("one\ntwo loss\nthree\nloss loss\nlast LOSS");
  const LogHits found = SearchLog(file_, {.text = "loss"}).value();
  ASSERT_EQ(found.hits.size(), 2u);
  EXPECT_EQ(found.hits[0].offset, 4);
  EXPECT_EQ(found.hits[0].text, "two loss");
  EXPECT_EQ(found.hits[1].offset, 19);
  EXPECT_EQ(found.next, std::nullopt);
  EXPECT_THAT(Texts({.text = "lOsS", .ignore_case = true}),
              ElementsAre("two loss", "loss loss", "last LOSS"));
  EXPECT_THAT(Texts({.text = "one", .offset = 4}), IsEmpty());
}

TEST_F(LogSearchTest, RegularExpressionsMatchWithinALine) {
  Write("loss 0.5\nloss nan\nacc 1\nValueError: bad\n");
  EXPECT_THAT(Texts({.text = "^loss (?:nan|inf)$", .regex = true}), ElementsAre("loss nan"));
  EXPECT_THAT(Texts({.text = "\\d\\.\\d", .regex = true}), ElementsAre("loss 0.5"));
  EXPECT_THAT(Texts({.text = "valueerror", .regex = true, .ignore_case = true}),
              ElementsAre("ValueError: bad"));
  EXPECT_EQ(SearchLog(file_, {.text = "(a", .regex = true}).error().code, Code::kInvalid);
  EXPECT_EQ(SearchLog(file_, {.text = "(a)\\1", .regex = true}).error().code, Code::kInvalid);
}

TEST_F(LogSearchTest, LimitAndNextCoverEveryHitOnce) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += i % 1000 == 7 ? "needle " : "line of hay ";
  for (size_t at = 0; (at = text.find("needle ", at)) != text.npos;) text[at + 6] = '\n';
  for (size_t at = 0; (at = text.find("hay ", at)) != text.npos;) text[at + 3] = '\n';
  Write(text);
  size_t count = 0;
  int64_t last = -1;
  LogSearch search{.text = "needle", .limit = 7, .budget_ms = 0};
  for (std::optional<int64_t> next = 0; next;) {
    search.offset = *next;
    const LogHits page = SearchLog(file_, search).value();
    for (const LogHit& hit : page.hits) {
      EXPECT_GT(hit.offset, last);
      last = hit.offset;
      ++count;
    }
    next = page.next;
  }
  EXPECT_EQ(count, 100u);
}

TEST_F(LogSearchTest, LinesLongerThanABlockAreSearchedAndCut) {
  Write(std::string(5 << 20, 'x') + "needle" + std::string(3 << 20, 'y') + "\nneedle\n");
  const LogHits found = SearchLog(file_, {.text = "needle", .budget_ms = 10'000}).value();
  ASSERT_EQ(found.hits.size(), 2u);
  EXPECT_LE(found.hits[0].text.size(), 1000u);
  EXPECT_NE(found.hits[0].text.find("needle"), std::string::npos);
  EXPECT_EQ(found.hits[1].text, "needle");
}

TEST_F(LogSearchTest, MissingFileHasNoHitsAndBadTextIsRefused) {
  EXPECT_THAT(Texts({.text = "a"}), IsEmpty());
  for (const char* bad : {"", "a\nb"})
    EXPECT_EQ(SearchLog(file_, {.text = bad}).error().code, Code::kInvalid);
}

}  // namespace
}  // namespace muster::api
