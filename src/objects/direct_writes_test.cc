#include "objects/direct_writes.h"

#include <fcntl.h>

#include <string>

#include <gmock/gmock.h>

#include "objects/run_writer.h"
#include "objects/sample_pieces.h"
#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::objects {
namespace {

constexpr size_t kWhole = s3::Piece::kMost;

class DirectWritesTest : public testing::Test {
 protected:
  std::string Content() const { return os::ReadFile(path_, 64 << 20).value(); }

  os::TempDir dir_;
  os::Path path_ = dir_ / "file";
  os::Fd fd_{::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
};

TEST_F(DirectWritesTest, SettledWritesAreInTheFile) {
  DirectWrites writes(3);
  const auto file = DirectWrites::Open(fd_.get());
  ASSERT_TRUE(file);
  std::string expected;
  for (int i = 0; i < 8; ++i) expected += std::string(kWhole, static_cast<char>('a' + i));
  for (int i = 7; i >= 0; --i) {
    const auto piece = PieceOf(std::string(kWhole, static_cast<char>('a' + i)));
    ASSERT_TRUE(writes.Write(file, i * int64_t(kWhole), piece).value());
  }
  ASSERT_TRUE(file->Settle());
  EXPECT_TRUE(Content() == expected);
}

TEST_F(DirectWritesTest, OnlyWholePagesFit) {
  const auto page = std::string(kWhole, 'x');
  EXPECT_TRUE(DirectWrites::Fits(4096, *PieceOf(page)));
  EXPECT_FALSE(DirectWrites::Fits(100, *PieceOf(page)));
  EXPECT_FALSE(DirectWrites::Fits(0, *PieceOf(page.substr(1))));
  EXPECT_FALSE(DirectWrites::Fits(0, *PieceOf(page.substr(0, 4096))));
}

TEST_F(DirectWritesTest, WritesAboveTheMemoryLimitAreRefused) {
  DirectWrites writes(0);  // without threads
  const auto file = DirectWrites::Open(fd_.get());
  ASSERT_TRUE(file);
  const auto piece = PieceOf(std::string(kWhole, 'x'));
  int taken = 0;
  while (taken < 1000 && writes.Write(file, 0, piece).value()) ++taken;
  EXPECT_GT(taken, 3);
  EXPECT_LT(taken, 100);
}

TEST_F(DirectWritesTest, ErrorIsReturnedByTheNextWriteAndBySettle) {
  DirectWrites writes(1);
  const auto file =
      std::make_shared<DirectWrites::File>(os::Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)));
  const auto piece = PieceOf(std::string(kWhole, 'x'));
  ASSERT_TRUE(writes.Write(file, 0, piece));
  EXPECT_THAT(file->Settle().error().text, testing::HasSubstr("write an object"));
  EXPECT_FALSE(writes.Write(file, 0, piece));
  EXPECT_FALSE(file->Settle());
}

TEST_F(DirectWritesTest, NothingIsWrittenAfterAbandon) {
  for (int round = 0; round < 20; ++round) {
    DirectWrites writes(2);
    const auto file = DirectWrites::Open(fd_.get());
    ASSERT_TRUE(file);
    const auto piece = PieceOf(std::string(kWhole, 'x'));
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(writes.Write(file, i * int64_t(kWhole), piece));
    file->Abandon();
    const std::string other(8 * kWhole, 'o');
    ASSERT_EQ(::pwrite(fd_.get(), other.data(), other.size(), 0), ssize_t(other.size()));
    ASSERT_TRUE(Content() == other);
  }
}

TEST_F(DirectWritesTest, RunKeepsItsOrderForAnyPieces) {
  DirectWrites writes(2);
  for (DirectWrites* const direct : {&writes, static_cast<DirectWrites*>(nullptr)}) {
    RunWriter run(direct, 1 << 20, 4096);
    std::string expected(4096, 0);
    ASSERT_EQ(::ftruncate(fd_.get(), 0), 0);
    char letter = 'a';
    for (const size_t size : {kWhole, kWhole, size_t(100), kWhole, size_t(4096 - 100), kWhole}) {
      const std::string bytes(size, letter++);
      expected += bytes;
      ASSERT_TRUE(run.Write(fd_.get(), PieceOf(bytes)));
    }
    EXPECT_EQ(run.at(), std::ssize(expected));
    ASSERT_EQ(run.pending() != nullptr, direct != nullptr);
    if (run.pending()) ASSERT_TRUE(run.pending()->Settle());
    EXPECT_TRUE(Content() == expected);
  }
}

}  // namespace
}  // namespace muster::objects
