#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "os/temp_dir.h"
#include "store/code_store.h"

namespace muster::store {
namespace {

using testing::IsEmpty;

class CodePackTest : public testing::Test {
 protected:
  static std::string Entry(const std::string& content) {
    return fmt::format("{} {}\n{}", os::Sha256(content), content.size(), content);
  }
  os::Path Blob(const std::string& content) const {
    const std::string sum = os::Sha256(content);
    return Dir() / "blobs" / sum.substr(0, 2) / sum;
  }
  os::Path Dir() const { return folder_ / "code"; }
  Code Refused(const std::string& pack) {
    const auto packed = store_.AddPack(pack);
    EXPECT_FALSE(packed);
    return packed ? Code::kInternal : packed.error().code;
  }
  bool IsClean() const {  // neither blobs nor temporary files
    return !std::filesystem::exists(Dir()) || std::filesystem::is_empty(Dir());
  }

  os::TempDir folder_;
  CodeStore store_{folder_ / "code"};
};

TEST_F(CodePackTest, EveryFileIsStoredWithItsBytes) {
  const std::string binary("\0\n 7\n\xff", 7), large(300'000, 'x');
  const auto packed = store_.AddPack(Entry("one") + Entry("") + Entry(binary) + Entry(large));
  ASSERT_TRUE(packed) << packed.error().text;
  EXPECT_EQ(packed->files, 4u);
  for (const std::string& content : {std::string("one"), std::string(), binary, large}) {
    EXPECT_EQ(os::ReadFile(Blob(content)).value(), content);
    struct stat info{};
    ASSERT_EQ(::stat(Blob(content).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0444u);
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Dir()))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::ElementsAre("blobs"));
}

TEST_F(CodePackTest, FilesThatAreStoredAlreadyOrTwiceAreTaken) {
  ASSERT_TRUE(store_.AddPack(Entry("one")));
  ASSERT_TRUE(store_.AddPack(Entry("one") + Entry("two") + Entry("two")));
  EXPECT_EQ(os::ReadFile(Blob("one")).value(), "one");
  EXPECT_EQ(os::ReadFile(Blob("two")).value(), "two");
}

TEST_F(CodePackTest, EmptyPackIsNoFiles) { EXPECT_EQ(store_.AddPack("")->files, 0u); }

TEST_F(CodePackTest, OneWrongSumRefusesTheWholePack) {
  std::string pack = Entry("one") + Entry("two");
  pack.back() = 'x';
  EXPECT_EQ(Refused(pack), Code::kCorrupt);
  EXPECT_TRUE(IsClean());
}

TEST_F(CodePackTest, MalformedPacksAreRefusedAndLeaveNothing) {
  const std::string sum = os::Sha256("abc");
  for (const std::string& pack :
       {std::string("\n"), sum, sum + "\n", sum + " \n", sum + " 3", sum + " 3\nab",
        sum + " -1\nabc", sum + " 3x\nabc", sum + " 99999999999999999999\nabc",
        sum + " 9223372036854775807\nabc", std::string("../../etc/passwd 3\nabc"),
        std::string(64, 'G') + " 3\nabc", std::string(1000, 'a'), Entry("abc") + "x"}) {
    EXPECT_EQ(Refused(pack), Code::kInvalid) << pack;
  }
  EXPECT_TRUE(IsClean());
}

TEST_F(CodePackTest, MoreFilesThanTheLimitAreRefused) {
  std::string pack;
  for (size_t i = 0; i < kMaxPackedFiles; ++i) pack += Entry("");
  EXPECT_TRUE(store_.AddPack(pack));
  EXPECT_EQ(Refused(pack + Entry("")), Code::kTooLarge);
}

}  // namespace
}  // namespace muster::store
