#include "objects/key_path.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "objects/awkward_keys.h"

namespace muster::objects {
namespace {

// The key that a folder walk derives from a path.
std::string KeyOf(const std::string& path, bool* beside = nullptr) {
  std::string key, long_name;
  bool in_long = false, first = true;
  for (const std::string& name : Split(path, '/')) {
    if (const auto part = LongNamePart(name)) {
      long_name += *part;
      in_long = true;
      continue;
    }
    if (const auto end = LongNameEnd(name); end && in_long) long_name += *end;
    const auto read = ReadKeyName(in_long ? long_name : name);
    if (!read) return "unreadable: " + path;
    if (!first) key += '/';
    key += read->text;
    if (beside != nullptr) *beside = read->beside;
    long_name.clear();
    in_long = first = false;
  }
  return key;
}

TEST(KeyPath, OrdinaryKeysAreTheirOwnPaths) {
  for (const char* key : {"a", "data/train.csv", "a/b/c", "ü/数据/🎉", "with blank", "-x",
                          ".hidden", "...", "100%", "%20", "a%=b", "*?\"<>|\\", "\x01\x7f\n"}) {
    EXPECT_EQ(PathOfKey(key), key);
  }
}

TEST(KeyPath, EveryKeyIsRestoredFromItsPath) {
  for (const std::string& key : AwkwardKeys()) {
    bool beside = true;
    EXPECT_EQ(KeyOf(PathOfKey(key), &beside), key);
    EXPECT_FALSE(beside);
    EXPECT_EQ(KeyOf(PathOfKey(key, Form::kBeside), &beside), key);
    EXPECT_TRUE(beside);
  }
}

TEST(KeyPath, NoPathLeavesItsFolderAndEveryNameFits) {
  for (const std::string& key : AwkwardKeys()) {
    for (const Form form : {Form::kPlain, Form::kBeside}) {
      const std::string path = PathOfKey(key, form);
      EXPECT_LT(path.size(), 4096u);
      EXPECT_EQ(path.find('\0'), std::string::npos);
      for (const std::string& name : Split(path, '/')) {
        EXPECT_FALSE(name.empty() || name == "." || name == "..") << path;
        EXPECT_LE(name.size(), 255u);
      }
    }
  }
}

TEST(KeyPath, DifferentKeysHaveDifferentPaths) {
  std::map<std::string, std::string> keys;
  for (const std::string& key : AwkwardKeys()) {
    for (const Form form : {Form::kPlain, Form::kBeside}) {
      const auto [it, fresh] = keys.emplace(PathOfKey(key, form), key);
      EXPECT_TRUE(fresh) << it->second << " and " << key;
    }
  }
}

TEST(KeyPath, NamesThatNoKeyHasAreIgnored) {
  for (const char* name : {"%=plain", "%=a%=", "%xplain", "%x%00%2", "%-%=plain", "%-%-a"}) {
    EXPECT_FALSE(ReadKeyName(name)) << name;
  }
  EXPECT_FALSE(LongNamePart("%+short"));
  EXPECT_FALSE(LongNameEnd("%:"));
}

}  // namespace
}  // namespace muster::objects
