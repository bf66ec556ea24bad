#include "objects/temp_folders.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "objects/temp_file.h"
#include "os/temp_dir.h"

namespace muster::objects {
namespace {

class TempFoldersTest : public testing::Test {
 protected:
  std::unique_ptr<TempFolders> Open() {
    return TempFolders::Open(Folder::Open(dir_.path()).value(), dir_.path()).value();
  }
  TempFile MakeFile(TempFolders& folders) {
    return TempFile::Make(folders.ForOneFile().value(), nullptr).value();
  }
  size_t Count() const {
    const std::filesystem::directory_iterator all(dir_.path());
    return size_t(std::distance(begin(all), end(all)));
  }

  os::TempDir dir_;
};

TEST_F(TempFoldersTest, ManyFilesAreSpreadOverFolders) {
  const auto folders = Open();
  std::vector<TempFile> files;
  for (int i = 0; i < 2000; ++i) files.push_back(MakeFile(*folders));
  EXPECT_GT(Count(), 2U);
  EXPECT_LT(Count(), 50U);
}

TEST_F(TempFoldersTest, AFolderGoesWithItsLastFile) {
  auto folders = Open();
  {
    std::vector<TempFile> files;
    for (int i = 0; i < 2000; ++i) files.push_back(MakeFile(*folders));
  }
  EXPECT_EQ(Count(), 1U) << "the one that the next file is made in";
  {
    const TempFile kept = MakeFile(*folders);
    folders.reset();
    EXPECT_EQ(Count(), 1U) << "a file may outlive them all";
  }
  EXPECT_EQ(Count(), 0U);
}

TEST_F(TempFoldersTest, WhatWasLeftIsRemovedAndLinksAreNotFollowed) {
  std::filesystem::create_directories(dir_ / "left/deep");
  ASSERT_TRUE(os::WriteFileAtomic(dir_ / "left/deep/file", "x", 0644, false));
  const os::TempDir elsewhere;
  ASSERT_TRUE(os::WriteFileAtomic(elsewhere / "mine", "x", 0644, false));
  std::filesystem::create_directory_symlink(elsewhere.path(), dir_ / "link");
  const auto folders = Open();
  EXPECT_EQ(Count(), 0U);
  EXPECT_TRUE(std::filesystem::exists(elsewhere / "mine"));
}

}  // namespace
}  // namespace muster::objects
