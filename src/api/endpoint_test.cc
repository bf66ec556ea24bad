#include "api/endpoint.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "base/json.h"
#include "os/temp_dir.h"

namespace muster::api {
namespace {

using testing::HasSubstr;

mode_t ModeOf(const os::Path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(EndpointTest, FileIsReadableByItsOwnerOnly) {
  const os::TempDir dir;
  ASSERT_TRUE(WriteEndpoint(dir.path(), {"http://127.0.0.1:4711", "secret", 42}));
  EXPECT_EQ(ModeOf(dir / "endpoint.json"), 0600u);
  const json::object object = ParseJson(*os::ReadFile(dir / "endpoint.json"))->as_object();
  EXPECT_EQ(GetString(object, "url"), "http://127.0.0.1:4711");
  EXPECT_EQ(GetString(object, "token"), "secret");
  EXPECT_EQ(GetInt(object, "pid"), 42);
}

TEST(EndpointTest, ContainsTheObjectStore) {
  const os::TempDir dir;
  ASSERT_TRUE(WriteEndpoint(
      dir.path(), {"http://h:1", "t", 42, {"http://h:2", "access", "secret", "us-east-1"}}));
  const json::object object = ParseJson(*os::ReadFile(dir / "endpoint.json"))->as_object();
  const json::object* s3 = GetObject(object, "s3");
  ASSERT_NE(s3, nullptr);
  EXPECT_EQ(GetString(*s3, "endpoint"), "http://h:2");
  EXPECT_EQ(GetString(*s3, "access_key"), "access");
  EXPECT_EQ(GetString(*s3, "secret_key"), "secret");
  EXPECT_EQ(GetString(*s3, "region"), "us-east-1");
}

TEST(EndpointTest, IsRemovedByItsOwnServerOnly) {
  const os::TempDir dir;
  ASSERT_TRUE(WriteEndpoint(dir.path(), {"http://127.0.0.1:4711", "secret", 42}));
  RemoveEndpoint(dir.path(), 43);
  EXPECT_TRUE(os::FileSize(dir / "endpoint.json"));
  RemoveEndpoint(dir.path(), 42);
  EXPECT_FALSE(os::FileSize(dir / "endpoint.json"));
  RemoveEndpoint(dir.path(), 42);  // a repetition has no effect
}

TEST(TokenTest, IsCreatedOnceAndKept) {
  const os::TempDir dir;
  const Result<std::string> token = LoadToken(dir.path());
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 64u);
  EXPECT_EQ(ModeOf(dir / "token"), 0600u);
  EXPECT_EQ(*LoadToken(dir.path()), *token);
  const os::TempDir other;
  EXPECT_NE(*LoadToken(other.path()), *token);
}

TEST(TokenTest, ModeIsCorrected) {
  const os::TempDir dir;
  ASSERT_TRUE(LoadToken(dir.path()));
  ASSERT_EQ(::chmod((dir / "token").c_str(), 0644), 0);
  ASSERT_TRUE(LoadToken(dir.path()));
  EXPECT_EQ(ModeOf(dir / "token"), 0600u);
}

TEST(TokenTest, OtherContentIsRejectedByName) {
  const os::TempDir dir;
  const std::string long_text(10'000, 'a');
  for (const std::string& text : {std::string(), std::string("short"), std::string(64, 'Z'),
                                  std::string(63, 'a'), long_text}) {
    ASSERT_TRUE(os::WriteFileAtomic(dir / "token", text));
    const Result<std::string> token = LoadToken(dir.path());
    ASSERT_FALSE(token);
    EXPECT_THAT(token.error().text, HasSubstr((dir / "token").string()));
  }
}

TEST(DataDirLockTest, SecondServerIsRefusedWithTheFirstNamed) {
  const os::TempDir dir;
  const os::Path data = dir / "data";
  Result<DataDirLock> first = DataDirLock::Take(data);
  ASSERT_TRUE(first);
  EXPECT_EQ(ModeOf(data), 0700u);
  const Result<DataDirLock> early = DataDirLock::Take(data);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::kConflict);
  EXPECT_THAT(early.error().text, HasSubstr("still starting"));
  ASSERT_TRUE(first->SetUrl("http://127.0.0.1:4711"));
  const Result<DataDirLock> second = DataDirLock::Take(data);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, HasSubstr(fmt::format("pid {}", ::getpid())));
  EXPECT_THAT(second.error().text, HasSubstr("http://127.0.0.1:4711"));
  EXPECT_THAT(second.error().text, HasSubstr(data.string()));
  EXPECT_NE(second.error().next, "");
}

TEST(DataDirLockTest, IsFreeAfterTheFirstServerEnded) {
  const os::TempDir dir;
  {
    Result<DataDirLock> first = DataDirLock::Take(dir.path());
    ASSERT_TRUE(first);
    ASSERT_TRUE(first->SetUrl("http://127.0.0.1:" + std::string(200, '1')));
  }
  Result<DataDirLock> second = DataDirLock::Take(dir.path());
  ASSERT_TRUE(second);
  // The text of the first server is replaced completely.
  EXPECT_EQ(*os::ReadFile(dir / "lock"), fmt::format("{{\"pid\":{},\"url\":\"\"}}\n", ::getpid()));
}

TEST(DataDirLockTest, FolderThatCannotBeCreatedIsAnError) {
  EXPECT_FALSE(DataDirLock::Take("/proc/no/such/folder"));
}

}  // namespace
}  // namespace muster::api
