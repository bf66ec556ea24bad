#include "transfer/retry.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

Trouble Answered(int status, const char* s3_code = "", Code code = Code::kInternal) {
  Trouble trouble(Error{code, "x", "", 0});
  trouble.status = status;
  trouble.s3_code = s3_code;
  trouble.server_wall_ms = 1'000;
  return trouble;
}
Trouble Unanswered(Code code) { return Trouble(Error{code, "x", "", 0}); }

TEST(Retry, EveryCauseHasItsReaction) {
  struct Row {
    const char* why;
    Trouble trouble;
    Remedy remedy;
  };
  const Row rows[] = {
      {"a timeout", Unanswered(Code::kTimeout), Remedy::kTryAgain},
      {"a reset, a refused connection", Unanswered(Code::kUnavailable), Remedy::kTryAgain},
      {"an answer that is no HTTP", Unanswered(Code::kCorrupt), Remedy::kTryAgain},
      {"a full disk here", Unanswered(Code::kNoSpace), Remedy::kGiveUp},
      {"a file that cannot be read", Unanswered(Code::kIo), Remedy::kGiveUp},
      {"a certificate that is not trusted", Unanswered(Code::kDenied), Remedy::kGiveUp},
      {"our own mistake", Unanswered(Code::kInvalid), Remedy::kGiveUp},
      {"500", Answered(500), Remedy::kTryAgain},
      {"500 InternalError", Answered(500, "InternalError"), Remedy::kTryAgain},
      {"502 of a proxy", Answered(502), Remedy::kTryAgain},
      {"503 SlowDown", Answered(503, "SlowDown"), Remedy::kTryAgain},
      {"503 without a name", Answered(503), Remedy::kTryAgain},
      {"504 of a proxy", Answered(504), Remedy::kTryAgain},
      {"429", Answered(429), Remedy::kTryAgain},
      {"408", Answered(408), Remedy::kTryAgain},
      {"400 RequestTimeout", Answered(400, "RequestTimeout"), Remedy::kTryAgain},
      {"400 BadDigest", Answered(400, "BadDigest"), Remedy::kTryAgain},
      {"400 IncompleteBody", Answered(400, "IncompleteBody"), Remedy::kTryAgain},
      {"200 with InternalError inside", Answered(200, "InternalError"), Remedy::kTryAgain},
      {"200 without what it must hold", Answered(200, "", Code::kCorrupt), Remedy::kTryAgain},
      {"501", Answered(501), Remedy::kGiveUp},
      {"507 of a full server", Answered(507, "StorageFull"), Remedy::kGiveUp},
      {"400", Answered(400), Remedy::kGiveUp},
      {"403 AccessDenied", Answered(403, "AccessDenied"), Remedy::kGiveUp},
      {"403 SignatureDoesNotMatch", Answered(403, "SignatureDoesNotMatch"), Remedy::kGiveUp},
      {"403 InvalidAccessKeyId", Answered(403, "InvalidAccessKeyId"), Remedy::kGiveUp},
      {"404 NoSuchBucket", Answered(404, "NoSuchBucket"), Remedy::kGiveUp},
      {"404 NoSuchKey", Answered(404, "NoSuchKey"), Remedy::kGiveUp},
      {"403 RequestTimeTooSkewed", Answered(403, "RequestTimeTooSkewed"), Remedy::kSetClock},
      {"400 ExpiredToken", Answered(400, "ExpiredToken"), Remedy::kNewKeys},
      {"404 NoSuchUpload", Answered(404, "NoSuchUpload"), Remedy::kBeginAnew},
      {"412: the source changed", Answered(412), Remedy::kBeginAnew},
      {"416: the source became shorter", Answered(416, "InvalidRange"), Remedy::kBeginAnew},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Decide(row.trouble, 1, 0, {}).remedy, row.remedy) << row.why;
  }
}

TEST(Retry, WaitsDoubleUpToTheLimit) {
  const RetryLimits limits{.most_tries = 6, .first_wait_ms = 100, .longest_wait_ms = 1'000};
  const Trouble trouble = Answered(503);
  const int64_t waits[] = {100, 200, 400, 800, 1'000};
  for (int tries = 1; tries <= 5; ++tries) {
    EXPECT_EQ(Decide(trouble, tries, 0, limits).wait_ms, waits[tries - 1]);
  }
  EXPECT_EQ(Decide(trouble, 6, 0, limits).remedy, Remedy::kGiveUp);
}

TEST(Retry, RandomnessShortensAWaitByAtMostHalf) {
  const RetryLimits limits{.most_tries = 9, .first_wait_ms = 100, .longest_wait_ms = 1'000};
  EXPECT_EQ(Decide(Answered(503), 1, 0.5, limits).wait_ms, 75);
  EXPECT_GT(Decide(Answered(503), 1, 0.999, limits).wait_ms, 49);
}

TEST(Retry, ManyAttemptsDoNotOverflowTheWait) {
  const RetryLimits limits{.most_tries = 1000, .first_wait_ms = 100, .longest_wait_ms = 10'000};
  EXPECT_EQ(Decide(Answered(503), 900, 0, limits).wait_ms, 10'000);
}

TEST(Retry, ClockAndCredentialsAreCorrectedOnce) {
  EXPECT_EQ(Decide(Answered(403, "RequestTimeTooSkewed"), 2, 0, {}).remedy, Remedy::kGiveUp);
  EXPECT_EQ(Decide(Answered(400, "ExpiredToken"), 2, 0, {}).remedy, Remedy::kGiveUp);
  Trouble dateless = Answered(403, "RequestTimeTooSkewed");
  dateless.server_wall_ms = 0;
  EXPECT_EQ(Decide(dateless, 1, 0, {}).remedy, Remedy::kGiveUp);
}

}  // namespace
}  // namespace muster::transfer
