#include "transfer/file_range.h"

#include <fcntl.h>

#include <thread>

#include <gtest/gtest.h>

#include "os/file.h"
#include "os/temp_dir.h"

namespace muster::transfer {
namespace {

// Pieces larger than one write, from several workers, out of order.
TEST(FilledFile, WorkersFillSeparateRanges) {
  constexpr size_t kHands = 8, kPieces = 6, kPiece = 300'001;
  const os::TempDir dir;
  const os::Path path = dir / "filled";
  const os::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(fd);
  const auto letter = [](size_t place) { return static_cast<char>('A' + place); };
  {
    FilledFile file;
    std::vector<std::jthread> hands;
    for (size_t hand = 0; hand < kHands; ++hand) {
      hands.emplace_back([&, hand] {
        for (size_t piece = kPieces; piece-- > 0;) {
          const size_t place = piece * kHands + hand;
          EXPECT_TRUE(file.WriteAt(fd.get(), std::string(kPiece, letter(place)),
                                   static_cast<int64_t>(place * kPiece), path.string()));
        }
      });
    }
  }
  std::string expected;
  for (size_t place = 0; place < kHands * kPieces; ++place) {
    expected.append(kPiece, letter(place));
  }
  EXPECT_TRUE(os::ReadFile(path).value() == expected);
}

TEST(FilledFile, WriteErrorNamesTheFile) {
  const os::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  FilledFile file;
  const Status written = file.WriteAt(full.get(), "bytes", 0, "out/model.bin");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text.find("out/model.bin"), std::string::npos) << written.error().text;
}

}  // namespace
}  // namespace muster::transfer
