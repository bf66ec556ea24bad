#include <algorithm>

#include <gmock/gmock.h>

#include "store/code_store.h"

namespace muster::store {
namespace {

using testing::HasSubstr;

CodeFile File(const std::string& path, const std::string& content = "x") {
  return {path, os::Sha256(content), int64_t(content.size()), false, ""};
}
CodeFile Link(const std::string& path, const std::string& target) {
  return {path, os::Sha256(target), int64_t(target.size()), false, target};
}

// The error for `manifest` after a round trip through JSON.
Error Refusal(const CodeManifest& manifest) {
  auto result = CodeManifestFromJson(ToJsonObject(manifest));
  return result ? Error{Code::kInternal, "was accepted", "", 0} : result.error();
}
Error Refusal(const std::string& text) {
  auto result = CodeManifestFromJson(ParseJson(text).value());
  return result ? Error{Code::kInternal, "was accepted", "", 0} : result.error();
}
std::string Entry(const std::string& members) {
  return R"({"files":[{"path":"a/b.py",)" + members + "}]}";
}
const std::string kSum = R"("sha256":")" + std::string(64, 'a') + '"';

TEST(CodeManifestTest, JsonRoundTrips) {
  CodeManifest manifest{
      {File("a/b.py"), File("run.sh"), Link("a/l", "../run.sh"), File("名字.py")}};
  manifest.files[1].executable = true;
  const auto back = CodeManifestFromJson(ParseJson(ToJson(ToJsonObject(manifest))).value());
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->files, manifest.files);
}

TEST(CodeManifestTest, EmptyFolderIsAllowed) { EXPECT_TRUE(CheckManifest({})); }

TEST(CodeManifestTest, HashDoesNotDependOnTheOrder) {
  CodeManifest manifest{{File("a"), File("b/c"), File("b/d"), Link("l", "a")}};
  const std::string hash = ManifestHash(manifest);
  EXPECT_TRUE(IsSha256(hash));
  std::ranges::reverse(manifest.files);
  EXPECT_EQ(ManifestHash(manifest), hash);
}

TEST(CodeManifestTest, HashMatchesTheDocumentation) {
  EXPECT_EQ(ManifestHash({{File("a", "hello")}}),
            os::Sha256("muster code 1\nf "
                       "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 1:a\n"));
}

TEST(CodeManifestTest, HashCoversContentNameModeAndKind) {
  CodeFile executable = File("a");
  executable.executable = true;
  std::set<std::string> hashes;
  const std::vector<CodeFile> variants = {File("a"),      File("a", "y"), File("b"),
                                          Link("a", "x"), executable,     File("a\nf")};
  for (const CodeFile& file : variants) hashes.insert(ManifestHash({{file}}));
  hashes.insert(ManifestHash({}));
  EXPECT_EQ(hashes.size(), variants.size() + 1);
}

TEST(CodeManifestTest, HostilePathsAreRejectedByName) {
  const std::pair<std::string, const char*> cases[] = {
      {"../evil", "\"..\""},
      {"a/../../evil", "\"..\""},
      {"a/..", "\"..\""},
      {"./a", "\".\""},
      {"/etc/passwd", "absolute"},
      {"a//b", "empty component"},
      {"a/", "empty component"},
      {"", "is empty"},
      {std::string("a\0b", 3), "NUL"},
      {std::string(5'000, 'n'), "longer than 2048"},
      {std::string(256, 'n'), "more than 255"},
      {"a/" + std::string(300, 'n') + "/b", "more than 255"},
  };
  for (const auto& [path, why] : cases) {
    const Error error = Refusal(CodeManifest{{File("fine.py"), File(path)}});
    EXPECT_EQ(error.code, Code::kInvalid) << path;
    EXPECT_THAT(error.text, HasSubstr(why));
    EXPECT_LT(error.text.size(), 400u) << "stays readable";
  }
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "d/";
  EXPECT_THAT(Refusal(CodeManifest{{File(deep + "f")}}).text, HasSubstr("128 folders deep"));
}

TEST(CodeManifestTest, ErrorsContainNoControlCharacters) {
  EXPECT_EQ(Refusal(CodeManifest{{File("\x1b[2J/../x")}}).text.find('\x1b'), std::string::npos);
}

TEST(CodeManifestTest, NamesThatAreNotUtf8AreRejected) {
  EXPECT_THAT(CheckManifest({{File("a\xff")}}).error().text, HasSubstr("UTF-8"));
}

TEST(CodeManifestTest, DuplicatesAreRejected) {
  EXPECT_THAT(Refusal(CodeManifest{{File("a"), File("b"), File("a")}}).text,
              HasSubstr("\"a\": it is there twice"));
}

TEST(CodeManifestTest, FileThatIsAlsoAFolderIsRejected) {
  EXPECT_THAT(Refusal(CodeManifest{{File("a/b/c"), File("a-b"), File("a.b"), File("a")}}).text,
              HasSubstr("also the folder of \"a/b/c\""));
  EXPECT_THAT(Refusal(CodeManifest{{Link("a", "b"), File("a/x"), File("b/y")}}).text,
              HasSubstr("also the folder of \"a/x\""))
      << "nothing may be written through a link";
  EXPECT_TRUE(CheckManifest({{File("a-b"), File("a/b"), File("ab"), File("a.b")}}));
}

TEST(CodeManifestTest, LinksInsideTheTreeAreAllowed) {
  EXPECT_TRUE(CheckManifest({{Link("l", "a"), Link("d/l", "../a"), Link("d/e/l", "../../d/x/y"),
                              Link("d/s", "."), Link("d/r", ".."), Link("m", "./a//b")}}));
}

TEST(CodeManifestTest, LinksOutOfTheTreeAreRejected) {
  for (const char* target : {"..", "../x", "/etc/passwd", "./../x"})
    EXPECT_THAT(Refusal(CodeManifest{{Link("l", target)}}).text, HasSubstr("\"l\"")) << target;
  EXPECT_THAT(Refusal(CodeManifest{{Link("d/l", "../../x")}}).text, HasSubstr("outside"));
  EXPECT_THAT(Refusal(CodeManifest{{Link("l", std::string("a\0b", 3))}}).text, HasSubstr("NUL"));
  EXPECT_THAT(Refusal(CodeManifest{{Link("l", std::string(5'000, 'x'))}}).text, HasSubstr("2048"));
}

TEST(CodeManifestTest, LinksOutOfTheTreeThroughOtherLinksAreRejected) {
  // p/q/d is the root, so p/q/d/.. would be above it.
  EXPECT_THAT(
      Refusal(CodeManifest{{Link("p/q/d", "../.."), Link("p/q/e", "d/../../etc/passwd")}}).text,
      HasSubstr("\"p/q/e\""));
}

TEST(CodeManifestTest, LinkMustMatchItsHashAndSize) {
  CodeFile link = Link("l", "a");
  link.size = 7;
  EXPECT_THAT(Refusal(CodeManifest{{link}}).text, HasSubstr("size is 7"));
  link = Link("l", "a");
  link.sha256 = os::Sha256("b");
  EXPECT_THAT(Refusal(CodeManifest{{link}}).text, HasSubstr("sum"));
  link = Link("l", "a");
  link.executable = true;
  EXPECT_THAT(Refusal(CodeManifest{{link}}).text, HasSubstr("executable"));
}

TEST(CodeManifestTest, WrongMembersAreRejectedByEntry) {
  const std::pair<std::string, const char*> cases[] = {
      {Entry(kSum), "\"size\" is missing"},
      {Entry(R"("size":1)"), "\"sha256\" is missing"},
      {Entry(kSum + R"(,"size":-1)"), "size -1"},
      {Entry(kSum + R"(,"size":1.5)"), "not a whole number"},
      {Entry(kSum + R"(,"size":"1")"), "not a whole number"},
      {Entry(kSum + R"(,"size":18446744073709551615)"), "not a whole number"},
      {Entry(kSum + R"(,"size":9223372036854775807)"), "is not between"},
      {Entry(kSum + R"(,"size":1,"executable":1)"), "neither true nor false"},
      {Entry(kSum + R"(,"size":1,"link":7)"), "not a text"},
      {Entry(kSum + R"(,"size":1,"link":"")"), "target is empty"},
      {Entry(kSum + R"(,"size":1,"mode":511)"), "unknown member \"mode\""},
      {Entry(R"("size":1,"sha256":"ABC")"), "64 lower-case hex digits"},
      {Entry(R"("size":1,"sha256":")" + std::string(64, 'A') + '"'), "64 lower-case hex digits"},
      {Entry(R"("size":1,"sha256":"../../../../../etc/passwd")"), "64 lower-case hex digits"},
  };
  for (const auto& [text, why] : cases) {
    const Error error = Refusal(text);
    EXPECT_EQ(error.code, Code::kInvalid) << text;
    EXPECT_THAT(error.text, HasSubstr("\"a/b.py\"")) << text;
    EXPECT_THAT(error.text, HasSubstr(why)) << text;
  }
}

TEST(CodeManifestTest, OtherDocumentsAreRejected) {
  for (const char* text : {"null", "[]", "{}", R"({"files":{}})", R"({"files":[],"more":1})"})
    EXPECT_EQ(Refusal(text).code, Code::kInvalid) << text;
  EXPECT_THAT(Refusal(R"({"files":[7]})").text, HasSubstr("files[0]"));
  EXPECT_THAT(Refusal(R"({"files":[{"path":7}]})").text, HasSubstr("files[0]"));
}

TEST(CodeManifestTest, MillionEntriesAreTooLarge) {
  json::array files;
  files.resize(1'000'000, json::value(nullptr));
  const auto result = CodeManifestFromJson(json::object{{"files", std::move(files)}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kTooLarge);
  EXPECT_THAT(result.error().text, HasSubstr("200000"));
  EXPECT_THAT(result.error().next, HasSubstr(".musterignore"));
}

TEST(CodeManifestTest, MaximumNumberOfEntriesIsAccepted) {
  CodeManifest manifest;
  const CodeFile model = File("x");
  for (size_t i = 0; i < kMaxCodeFiles; ++i) {
    manifest.files.push_back(model);
    manifest.files.back().path = "d" + std::to_string(i % 100) + "/" + std::to_string(i);
  }
  EXPECT_TRUE(CheckManifest(manifest));
}

}  // namespace
}  // namespace muster::store
