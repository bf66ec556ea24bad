#include "launcher/gang.h"

#include <gmock/gmock.h>

#include "launcher/gang_watch.h"

namespace muster::launcher {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Ranks that Muster starts itself; process 100 + rank.
std::vector<GangMember> JobRanks(int count) {
  std::vector<GangMember> members;
  for (int rank = 0; rank < count; ++rank)
    members.push_back({.pid = 100 + rank,
                       .node = rank / 2,
                       .role = "worker",
                       .job_rank = rank,
                       .own_rank = rank});
  return members;
}

// Ranks of a framework's launcher on each node, all numbered from 0; process 200 + 10 * node +
// rank.
std::vector<GangMember> LauncherRanks(int nodes, int ranks, bool same_numbers) {
  std::vector<GangMember> members;
  for (int node = 0; node < nodes; ++node)
    for (int rank = 0; rank < ranks; ++rank)
      members.push_back({.pid = 200 + 10 * node + rank,
                         .node = node,
                         .role = "worker",
                         .job_rank = -1,
                         .own_rank = rank + (same_numbers ? 0 : node * ranks)});
  return members;
}

void Look(Gang& gang, const std::vector<GangMember>& members,
          std::vector<std::pair<pid_t, pid_t>> links, int64_t now_ms, bool trains = false) {
  gang.Take({now_ms, members, std::move(links), trains});
}

TEST(GangTest, RanksThatTrainForHalfAMinuteWithoutAConnectionAreNotedOnce) {
  Gang gang;
  Look(gang, JobRanks(2), {}, 0);
  Look(gang, JobRanks(2), {}, 1000, true);
  EXPECT_THAT(gang.TakeNotes(30'000), IsEmpty());
  const auto notes = gang.TakeNotes(31'000);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0].text, HasSubstr("the 2 ranks of this job have not connected to each other"));
  EXPECT_TRUE(notes[0].apart);
  EXPECT_THAT(gang.TakeNotes(90'000), IsEmpty());
}

TEST(GangTest, RanksWithoutTrainingNumbersAreNotedAfterFiveMinutes) {
  Gang gang;
  Look(gang, JobRanks(4), {{100, 101}}, 0);
  EXPECT_THAT(gang.TakeNotes(299'000), IsEmpty());
  const auto notes = gang.TakeNotes(300'000);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0].text, HasSubstr("form 3 groups"));
  EXPECT_THAT(notes[0].text, HasSubstr("0 1 | 2 | 3"));
}

TEST(GangTest, ConnectionsOfDifferentLooksAddUpAndThenNothingIsNoted) {
  Gang gang;
  Look(gang, JobRanks(4), {{100, 101}}, 0, true);
  Look(gang, JobRanks(4), {{101, 102}}, 100, true);
  Look(gang, JobRanks(4), {{100, 103}}, 200, true);
  Look(gang, JobRanks(4), {}, 300, true);
  EXPECT_THAT(gang.TakeNotes(600'000), IsEmpty());
  EXPECT_TRUE(gang.IsComplete(600'000));
  EXPECT_THAT(gang.TakeNotesAtEnd(), IsEmpty());
}

TEST(GangTest, RanksAreJoinedThroughAProcessThatIsNotARank) {
  Gang gang;
  auto members = JobRanks(2);
  members.push_back({.pid = 900, .role = "scheduler"});
  Look(gang, members, {{100, 900}, {101, 900}}, 0, true);
  EXPECT_THAT(gang.TakeNotes(600'000), IsEmpty());
}

TEST(GangTest, RanksThatConnectLateGetASecondNote) {
  Gang gang;
  Look(gang, JobRanks(2), {}, 0);
  ASSERT_THAT(gang.TakeNotes(300'000), SizeIs(1));
  Look(gang, JobRanks(2), {{100, 101}}, 301'000);
  const auto notes = gang.TakeNotes(301'000);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_FALSE(notes[0].apart);
}

TEST(GangTest, ShortJobIsJudgedAtItsEndWhenItWasSeenOftenEnough) {
  Gang gang, hardly_seen;
  for (int i = 0; i < 10; ++i) Look(gang, JobRanks(2), {}, i * 100);
  EXPECT_THAT(gang.TakeNotes(1000), IsEmpty());
  EXPECT_THAT(gang.TakeNotesAtEnd(), SizeIs(1));
  for (int i = 0; i < 9; ++i) Look(hardly_seen, JobRanks(2), {}, i * 100);
  EXPECT_THAT(hardly_seen.TakeNotesAtEnd(), IsEmpty());
}

TEST(GangTest, RanksThatWereNeverThereTogetherAreNotJudged) {
  Gang gang;
  for (int i = 0; i < 30; ++i) Look(gang, {JobRanks(2)[size_t(i) / 15]}, {}, i * 100, true);
  EXPECT_THAT(gang.TakeNotes(600'000), IsEmpty());
  EXPECT_THAT(gang.TakeNotesAtEnd(), IsEmpty());
}

TEST(GangTest, OneRankIsNeverApart) {
  Gang gang;
  for (int i = 0; i < 30; ++i) Look(gang, JobRanks(1), {}, i * 1000, true);
  EXPECT_THAT(gang.TakeNotes(600'000), IsEmpty());
  EXPECT_THAT(gang.TakeNotesAtEnd(), IsEmpty());
}

TEST(GangTest, RanksWithoutAFrameworkGetANoteThatIsNoVerdict) {
  Gang gang;
  auto members = JobRanks(2);
  for (GangMember& member : members) member.own_rank = -1;
  for (int i = 0; i < 10; ++i) Look(gang, members, {}, i * 100);
  const auto notes = gang.TakeNotesAtEnd();
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_FALSE(notes[0].apart);
}

TEST(GangTest, SameRankOnTwoNodesIsNotedAfterThreeLooksAndNothingElseIs) {
  Gang gang;
  const auto members = LauncherRanks(2, 4, true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(gang.TakeNotes(i * 100), IsEmpty());
    Look(gang, members, {{200, 201}}, i * 100);
  }
  const auto notes = gang.TakeNotes(300);
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_THAT(notes[0].text,
              HasSubstr("nodes 0, 1 started the same ranks of the framework (0, 1, 2, 3)"));
  EXPECT_THAT(gang.TakeNotes(900'000), IsEmpty());
  EXPECT_THAT(gang.TakeNotesAtEnd(), IsEmpty());
}

TEST(GangTest, NumbersThatCountOnOverNodesAreNotDuplicates) {
  Gang gang;
  for (int i = 0; i < 5; ++i)
    Look(gang, LauncherRanks(2, 2, false), {{200, 201}, {201, 210}, {210, 211}}, i * 100);
  EXPECT_THAT(gang.TakeNotes(900'000), IsEmpty());
}

TEST(GangTest, ChildrenOfARankAreTheSameRank) {
  Gang gang;
  auto members = JobRanks(2);
  members.push_back({.pid = 500, .role = "worker", .job_rank = 1, .own_rank = 1});
  Look(gang, members, {{100, 500}}, 0, true);
  EXPECT_THAT(gang.TakeNotes(600'000), IsEmpty());
}

TEST(MemberOfTest, ReadsNodeRoleAndBothNumbers) {
  const GangMember member = MemberOf(
      7, {"MUSTER_NODE_INDEX=1", "MUSTER_ROLE=ps", "MUSTER_RANK=3", "RANK=2", "WORLD_SIZE=4", "x"});
  EXPECT_EQ(member.pid, 7);
  EXPECT_EQ(member.node, 1);
  EXPECT_EQ(member.role, "ps");
  EXPECT_EQ(member.job_rank, 3);
  EXPECT_EQ(member.own_rank, 2);
}

TEST(MemberOfTest, NumberOfAPaddleLaunchersNodeIsNoRank) {
  EXPECT_EQ(MemberOf(7, {"PADDLE_TRAINER_ID=1"}).own_rank, -1);
  EXPECT_EQ(MemberOf(7, {"PADDLE_TRAINER_ID=1", "PADDLE_CURRENT_ENDPOINT=a:1"}).own_rank, 1);
  EXPECT_EQ(MemberOf(7, {"RANK_ID=job-worker-0", "RANK_SIZE=2"}).own_rank, -1);
  EXPECT_EQ(MemberOf(7, {"RANK=-1", "WORLD_SIZE=2"}).own_rank, -1);
}

TEST(HasConnectionWithTest, SeesOpenAndJustClosedConnectionsAndNoListener) {
  constexpr const char* kTable =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
      "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
      "   1: 0100007F:8D2A 0100007F:733D 06 00000000:00000000 03:00000D0A 00000000     0\n";
  EXPECT_FALSE(HasConnectionWith(kTable, 0x733C));
  EXPECT_TRUE(HasConnectionWith(kTable, 0x733D));
  EXPECT_TRUE(HasConnectionWith(kTable, 0x8D2A));
  EXPECT_FALSE(HasConnectionWith("", 1));
}

}  // namespace
}  // namespace muster::launcher
