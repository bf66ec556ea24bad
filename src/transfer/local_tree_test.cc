#include "transfer/local_tree.h"

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::transfer {
namespace {

TEST(LocalTree, CreatesTheFoldersOfAName) {
  const os::TempDir dir;
  LocalTree tree(dir / "new/root");
  const auto place = tree.PlaceFor("a/b/c.txt");
  ASSERT_TRUE(place) << place.error().text;
  EXPECT_EQ(place->leaf, "c.txt");
  EXPECT_TRUE(std::filesystem::is_directory(dir / "new/root/a/b"));
  EXPECT_TRUE(tree.MakeFolder("x/y/"));
  EXPECT_TRUE(std::filesystem::is_directory(dir / "new/root/x/y"));
}

TEST(LocalTree, NamesThatLeaveTheRootAreRejected) {
  const os::TempDir dir;
  LocalTree tree(dir / "root");
  for (const char* name : {"", "/", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".", "a/."}) {
    EXPECT_EQ(tree.PlaceFor(name).error().code, Code::kInvalid) << name;
  }
  EXPECT_FALSE(tree.PlaceFor(std::string(256, 'x')));
  EXPECT_FALSE(tree.PlaceFor(std::string_view("a\0b", 3)));
}

TEST(LocalTree, LinksInsideAreNotFollowed) {
  const os::TempDir dir;
  std::filesystem::create_directories(dir / "root");
  std::filesystem::create_directories(dir / "outside");
  std::filesystem::create_directory_symlink(dir / "outside", dir / "root/link");
  LocalTree tree(dir / "root");
  EXPECT_EQ(tree.PlaceFor("link/x").error().code, Code::kConflict);
  EXPECT_TRUE(std::filesystem::is_empty(dir / "outside"));
}

TEST(LocalTree, NumberOfOpenFoldersIsLimited) {
  const os::TempDir dir;
  LocalTree tree(dir / "root");
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(tree.PlaceFor("d" + std::to_string(i) + "/x"));
  }
}

}  // namespace
}  // namespace muster::transfer
