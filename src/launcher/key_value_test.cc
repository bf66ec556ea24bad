#include "launcher/key_value.h"

#include <gmock/gmock.h>

namespace muster::launcher {
namespace {

int Status(KeyValue& store, const char* method, const char* path, std::string_view body = "") {
  return store.Handle(method, path, body).status;
}

TEST(KeyValueTest, ReturnsWrittenValues) {
  KeyValue store;
  EXPECT_EQ(Status(store, "GET", "/global/0"), 404);
  EXPECT_EQ(Status(store, "PUT", "/global/0", std::string_view("a\0b", 3)), 200);
  const auto answer = store.Handle("GET", "/global/0", "");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, std::string_view("a\0b", 3));
  EXPECT_EQ(Status(store, "GET", "/local_node-0/0"), 404);
}

TEST(KeyValueTest, EmptyValueExists) {
  KeyValue store;
  Status(store, "PUT", "/cross_0/0", "");
  EXPECT_EQ(Status(store, "GET", "/cross_0/0"), 200);
}

TEST(KeyValueTest, ScopeIsRemovedWithItsLastRank) {
  KeyValue store;
  for (const char* path : {"/g/rank_0", "/g/rank_1", "/g/0", "/g/1"}) Status(store, "PUT", path);
  EXPECT_EQ(Status(store, "DELETE", "/g/0"), 200);
  EXPECT_EQ(Status(store, "GET", "/g/0"), 200);  // rank 1 may not have read it yet
  EXPECT_EQ(Status(store, "DELETE", "/g/0"), 200);
  EXPECT_EQ(Status(store, "GET", "/g/1"), 200);
  EXPECT_EQ(Status(store, "DELETE", "/g/1"), 200);
  EXPECT_EQ(Status(store, "GET", "/g/1"), 404);
  EXPECT_EQ(store.bytes(), 0u);
}

TEST(KeyValueTest, DeletingAMissingKeyIsNotAnError) {
  KeyValue store;
  EXPECT_EQ(Status(store, "DELETE", "/g/0"), 200);
}

TEST(KeyValueTest, InvalidPathsAreRejected) {
  KeyValue store;
  const std::string long_path = "/g/" + std::string(5000, 'x');
  for (const char* path : {"", "/", "g/0", "/g", "/g/", "//0", "/g/a/b", long_path.c_str()})
    EXPECT_EQ(Status(store, "PUT", path, "x"), 400) << path;
  EXPECT_EQ(Status(store, "POST", "/g/0", "x"), 405);
  EXPECT_EQ(store.bytes(), 0u);
}

TEST(KeyValueTest, SizeLimitIsEnforced) {
  KeyValue store(100);
  EXPECT_EQ(Status(store, "PUT", "/g/0", std::string(90, 'x')), 200);
  EXPECT_EQ(Status(store, "PUT", "/g/1", std::string(90, 'x')), 413);
  EXPECT_EQ(Status(store, "PUT", "/g/0", std::string(10, 'y')), 200);
  EXPECT_EQ(store.Handle("GET", "/g/0", "").body, std::string(10, 'y'));
  EXPECT_EQ(store.bytes(), 12u);
}

}  // namespace
}  // namespace muster::launcher
