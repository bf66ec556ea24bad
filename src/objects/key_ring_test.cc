#include "objects/key_ring.h"

#include <sys/stat.h>

#include <gmock/gmock.h>

#include "os/temp_dir.h"

namespace muster::objects {
namespace {

TEST(KeyRing, FirstKeyIsCreatedOnceWithAllPermissions) {
  const os::TempDir dir;
  const KeyPair first = KeyRing::Open(dir / "keys.json").value()->First();
  EXPECT_EQ(first.access_key.size(), 20u);
  EXPECT_EQ(first.secret_key.size(), 40u);
  EXPECT_TRUE(first.MayWrite("any", "key") && first.MayUseAllBuckets(true));
  const auto again = KeyRing::Open(dir / "keys.json").value();
  EXPECT_EQ(again->First().secret_key, first.secret_key);
  struct stat info{};
  ASSERT_EQ(::stat((dir / "keys.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(KeyRing, GrantsCoverBucketsAndPrefixes) {
  KeyPair pair{"a", "s", "u", {{"data", "team/", false}, {"out", "", true}}};
  EXPECT_TRUE(pair.MayRead("data", "team/x"));
  EXPECT_FALSE(pair.MayRead("data", "tea"));
  EXPECT_FALSE(pair.MayRead("data", ""));
  EXPECT_FALSE(pair.MayWrite("data", "team/x"));
  EXPECT_TRUE(pair.MayWrite("out", "anything") && pair.MayRead("out", ""));
  EXPECT_TRUE(pair.MaySeeBucket("data"));
  EXPECT_FALSE(pair.MaySeeBucket("other") || pair.MayUseAllBuckets(false));
  EXPECT_FALSE(KeyPair().MayRead("any", ""));
}

TEST(KeyRing, KeysAreAddedReplacedAndRemovedDurably) {
  const os::TempDir dir;
  {
    const auto ring = KeyRing::Open(dir / "keys.json").value();
    ASSERT_TRUE(ring->Add({"AK", "one", "u", {}}));
    ASSERT_TRUE(ring->Add({"AK", "two", "u", {{"b", "p", true}}}));
    EXPECT_FALSE(ring->Remove(ring->First().access_key));
    EXPECT_FALSE(ring->Remove("unknown"));
  }
  const auto ring = KeyRing::Open(dir / "keys.json").value();
  ASSERT_NE(ring->Find("AK"), nullptr);
  EXPECT_EQ(ring->Find("AK")->secret_key, "two");
  EXPECT_TRUE(ring->Find("AK")->MayWrite("b", "px"));
  EXPECT_TRUE(ring->Remove("AK"));
  EXPECT_EQ(KeyRing::Open(dir / "keys.json").value()->Find("AK"), nullptr);
}

TEST(KeyRing, ManualChangesTakeEffectAndBrokenFilesDoNot) {
  const os::TempDir dir;
  const auto ring = KeyRing::Open(dir / "keys.json").value();
  const std::string first = ring->First().access_key;
  ASSERT_TRUE(os::WriteFileAtomic(
      dir / "keys.json", R"({"keys": [{"access_key": "HAND", "secret_key": "s"}]})", 0600, false));
  EXPECT_NE(ring->Find("HAND"), nullptr);
  EXPECT_EQ(ring->Find(first), nullptr);
  ASSERT_TRUE(os::WriteFileAtomic(dir / "keys.json", "{broken", 0600, false));
  EXPECT_NE(ring->Find("HAND"), nullptr);
}

TEST(KeyRing, InvalidFileIsNotOverwritten) {
  const os::TempDir dir;
  for (const char* text :
       {"", "{}", "{\"keys\": []}", "{\"keys\": [{\"access_key\": \"a\"}]}", "[1]"}) {
    ASSERT_TRUE(os::WriteFileAtomic(dir / "keys.json", text, 0600, false));
    const auto ring = KeyRing::Open(dir / "keys.json");
    ASSERT_FALSE(ring) << text;
    EXPECT_EQ(ring.error().code, Code::kCorrupt);
    EXPECT_EQ(os::ReadFile(dir / "keys.json").value(), text);
  }
}

TEST(KeyRing, LentPairsAskForTheirGrantsOnceAndEndWhenTakenBack) {
  const os::TempDir dir;
  const auto ring = KeyRing::Open(dir / "keys.json").value();
  int asked = 0;
  ring->Lend({"LENT", "secret", "job 1"}, [&] {
    ++asked;
    return std::vector<Grant>{{.bucket = "b", .prefix = "p/"}};
  });
  EXPECT_EQ(asked, 0);
  const auto pair = ring->Find("LENT");
  ASSERT_TRUE(pair);
  EXPECT_TRUE(ring->Find("LENT")->MayRead("b", "p/x"));
  EXPECT_FALSE(pair->MayWrite("b", "p/x"));
  EXPECT_TRUE(pair->lent);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(ring->All().size(), 1) << "lent pairs are in no file";
  ring->TakeBack("LENT");
  ring->TakeBack("LENT");
  EXPECT_FALSE(ring->Find("LENT"));
}

}  // namespace
}  // namespace muster::objects
