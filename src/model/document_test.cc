#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "model/document.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

json::value Read(std::string_view text, TextFormat format = TextFormat::kGuess) {
  Marks marks;
  auto document = ReadDocument(text, format, &marks);
  if (!document) {
    ADD_FAILURE() << FaultText(document.error(), "job");
    return nullptr;
  }
  return *document;
}

// The only fault of an unreadable text.
Fault OnlyFault(std::string_view text, TextFormat format = TextFormat::kGuess) {
  const auto document = ReadDocument(text, format, nullptr);
  if (document) {
    ADD_FAILURE() << "was read: " << ToJson(*document);
    return {};
  }
  EXPECT_THAT(document.error(), SizeIs(1)) << FaultText(document.error(), "job");
  return document.error().front();
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(DocumentTest, YamlScalarsFollowTheCoreRules) {
  const auto document = Read(
      "a: 1\nb: -2\nc: 0.5\nd: true\ne: null\nf: ~\ng:\nh: no\ni: yes\nj: on\nk: '1'\nl: \"true\"\n"
      "m: 01:30:00\nn: !!str 5\no: False\n");
  EXPECT_EQ(ToJson(document),
            R"({"a":1,"b":-2,"c":0.5,"d":true,"e":null,"f":null,"g":null,"h":"no","i":"yes",)"
            R"("j":"on","k":"1","l":"true","m":"01:30:00","n":"5","o":false})");
}

TEST(DocumentTest, SpellingOfNumbersIsKept) {
  const auto document = Read("[1e-4, 1.10, 007, 0x10, +5, 1180591620717411303424, 1e99, .inf, -0]");
  EXPECT_EQ(ToJson(document),
            R"(["1e-4","1.10","007","0x10","+5","1180591620717411303424","1e99",".inf","-0"])");
}

TEST(DocumentTest, JsonAndYamlYieldTheSameDocument) {
  const auto json = Read(R"({"a": [1, 2.5, "x", null, true], "b": {"c": 1e-4}})");
  const auto yaml = Read("a: [1, 2.5, x, null, true]\nb:\n  c: 1e-4\n");
  EXPECT_EQ(json, yaml);
}

TEST(DocumentTest, JsonEscapesAreDecoded) {
  EXPECT_EQ(Read(R"({"a": "\u00e9\ud83d\ude00\n\"\\\/\t"})").at("a").as_string(), "é😀\n\"\\/\t");
}

TEST(DocumentTest, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(ToJson(Read("\xEF\xBB\xBF"
                        "a: 1\n")),
            R"({"a":1})");
  EXPECT_EQ(ToJson(Read("\xEF\xBB\xBF{\"a\": 1}")), R"({"a":1})");
}

TEST(DocumentTest, AliasesAreExpanded) {
  EXPECT_EQ(ToJson(Read("a: &x {b: [1, 2]}\nc: *x\nd: [*x]\n")),
            R"({"a":{"b":[1,2]},"c":{"b":[1,2]},"d":[{"b":[1,2]}]})");
}

TEST(DocumentTest, MarksPointToKeys) {
  Marks marks;
  ASSERT_TRUE(ReadDocument("run: x\nresources:\n  nodes: 2\n  devices: npu:8\nafter: [1, 2]\n",
                           TextFormat::kYaml, &marks));
  const std::vector<std::pair<std::string, std::pair<int, int>>> expected = {
      {"", {1, 1}},
      {"run", {1, 6}},
      {"resources", {2, 1}},
      {"resources.nodes", {3, 10}},
      {"resources.devices", {4, 12}},
      {"after", {5, 1}},
      {"after[0]", {5, 9}},
      {"after[1]", {5, 12}}};
  EXPECT_EQ(marks.at, expected);
}

TEST(DocumentTest, ColumnsCountCharacters) {
  Marks yaml, json;
  ASSERT_TRUE(ReadDocument("{é: ü, b: 1}", TextFormat::kYaml, &yaml));
  ASSERT_TRUE(ReadDocument("{\"é\": \"ü\", \"b\": 1}", TextFormat::kJson, &json));
  EXPECT_EQ(yaml.at.back().second, std::pair(1, 11));
  EXPECT_EQ(json.at.back().second, std::pair(1, 17));
}

TEST(DocumentTest, TextThatIsNotYamlIsOneFault) {
  for (std::string_view text : {"a: [1, 2", "a: b: c", "a: 'x", "\tb: 1", "{a: 1", "- a\nb: 1",
                                "a: @x", "a: `x`", "%YAML 9.9\n---\na: 1"}) {
    const Fault fault = OnlyFault(text, TextFormat::kYaml);
    EXPECT_GT(fault.line, 0) << text;
    EXPECT_FALSE(fault.found.empty()) << text;
    EXPECT_FALSE(fault.expected.empty()) << text;
  }
}

TEST(DocumentTest, InvalidJsonErrorHasThePosition) {
  const Fault fault = OnlyFault("{\"a\": 1,\n  \"b\": }");
  EXPECT_EQ(std::pair(fault.line, fault.column), std::pair(2, 8));
  EXPECT_EQ(fault.found, "'}'");
  for (std::string_view text : {"{",
                                "{\"a\"",
                                "{\"a\":",
                                "{\"a\": 1",
                                "{\"a\": 1,}",
                                "{\"a\": 01}",
                                "{\"a\": 1.}",
                                "{\"a\": -}",
                                "{\"a\": 1e}",
                                "{\"a\": tru}",
                                "{\"a\": \"x}",
                                "{\"a\": \"\\q\"}",
                                "{\"a\": \"\\u12g4\"}",
                                "{\"a\": \"\\ud800\"}",
                                "{\"a\": \"\\ud800\\u0041\"}",
                                "{\"a\": 'x'}",
                                "{a: 1}",
                                "{} {}",
                                "{\"a\": \"x\ny\"}",
                                "{\"a\": [1 2]}",
                                "{\"a\": [1,]}"}) {
    EXPECT_GT(OnlyFault(text).line, 0) << text;
  }
}

TEST(DocumentTest, EmptyTextIsOneFault) {
  for (std::string_view text : {"", "\n\n", "# nothing\n", "   "}) {
    EXPECT_EQ(OnlyFault(text).found, "an empty file") << '"' << text << '"';
  }
}

TEST(DocumentTest, TenMegabytesAreRefused) {
  const Fault fault = OnlyFault("a: " + std::string(10 << 20, 'x'));
  EXPECT_EQ(fault.found, "10 MiB of text");
  EXPECT_THAT(fault.expected, HasSubstr("1 MiB"));
}

TEST(DocumentTest, TenThousandLevelsAreRefused) {
  const std::vector<std::pair<std::string, TextFormat>> texts = {
      {Repeat("[", 10'000), TextFormat::kYaml},
      {Repeat("[", 10'000) + Repeat("]", 10'000), TextFormat::kYaml},
      {Repeat("{a: ", 10'000), TextFormat::kYaml},
      {Repeat("- ", 10'000), TextFormat::kYaml},
      {Repeat("? ", 10'000), TextFormat::kYaml},
      {Repeat("[", 10'000), TextFormat::kJson},
      {Repeat("{\"a\":", 10'000), TextFormat::kJson}};
  for (const auto& [text, format] : texts) {
    EXPECT_GT(OnlyFault(text, format).line, 0) << text.substr(0, 10);
  }
  EXPECT_THAT(OnlyFault(Repeat("- ", 10'000)).found, HasSubstr("64 levels"));
}

TEST(DocumentTest, SixtyFourLevelsAreRead) {
  EXPECT_TRUE(ReadDocument(Repeat("[", 64) + Repeat("]", 64), TextFormat::kYaml, nullptr));
  EXPECT_TRUE(ReadDocument(Repeat("[", 64) + Repeat("]", 64), TextFormat::kJson, nullptr));
  EXPECT_FALSE(ReadDocument(Repeat("[", 65) + Repeat("]", 65), TextFormat::kYaml, nullptr));
  EXPECT_FALSE(ReadDocument(Repeat("[", 65) + Repeat("]", 65), TextFormat::kJson, nullptr));
}

TEST(DocumentTest, TooManyValuesAreRefused) {
  EXPECT_THAT(OnlyFault("[" + Repeat("1,", 10'000) + "1]", TextFormat::kJson).found,
              HasSubstr("10000 values"));
  EXPECT_THAT(OnlyFault(Repeat("- 1\n", 10'000)).found, HasSubstr("10000 values"));
}

TEST(DocumentTest, ExponentialAliasesAreOneFault) {
  std::string text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int n = 0; n < 8; ++n) text += ", " + alias;
    text += "]\n";
  }
  EXPECT_THAT(OnlyFault(text).found, HasSubstr("10000 values"));
}

TEST(DocumentTest, AliasesOfLongTextsAreCounted) {
  const std::string text = "a: &a " + std::string(500'000, 'x') + "\nb: [*a, *a, *a]\n";
  EXPECT_THAT(OnlyFault(text).found, HasSubstr("1 MiB"));
}

TEST(DocumentTest, AliasesCannotNestPastTheDepth) {
  std::string text = "a: &a0 " + Repeat("[", 30) + Repeat("]", 30) + "\n";
  text += "b: " + Repeat("[", 40) + "*a0" + Repeat("]", 40) + "\n";
  EXPECT_THAT(OnlyFault(text).found, HasSubstr("64 levels"));
}

TEST(DocumentTest, AliasInsideItselfIsRefused) {
  EXPECT_THAT(OnlyFault("a: &x {b: *x}").found, HasSubstr("alias"));
  EXPECT_GT(OnlyFault("a: *missing").line, 0);
}

TEST(DocumentTest, EveryDuplicateKeyIsNamed) {
  for (TextFormat format : {TextFormat::kYaml, TextFormat::kJson}) {
    const auto document =
        ReadDocument("{\"a\": 1,\n \"b\": {\"c\": 1,\n \"c\": 2},\n \"a\": 3}", format, nullptr);
    ASSERT_FALSE(document);
    ASSERT_THAT(document.error(), SizeIs(2));
    EXPECT_EQ(document.error()[0].path, "b.c");
    EXPECT_EQ(document.error()[0].line, 3);
    EXPECT_EQ(document.error()[1].path, "a");
    EXPECT_EQ(document.error()[1].hint, "first written in line 1");
  }
}

TEST(DocumentTest, BytesThatAreNotUtf8AreNamed) {
  const Fault fault = OnlyFault("name: caf\xE9\n");
  EXPECT_EQ(fault.found, "byte 9 (0xE9), which is not UTF-8");
  EXPECT_EQ(std::pair(fault.line, fault.column), std::pair(1, 10));
  EXPECT_THAT(OnlyFault("é: \xC3").found, HasSubstr("byte 4 (0xC3)"));
  EXPECT_THAT(OnlyFault("\xED\xA0\x80").found, HasSubstr("byte 0"));
  EXPECT_THAT(OnlyFault("a: \xC0\x80").found, HasSubstr("byte 3"));
}

TEST(DocumentTest, NulIsRefusedInEverySpelling) {
  EXPECT_THAT(OnlyFault(std::string_view("a: b\0c", 6)).found, HasSubstr("NUL at byte 4"));
  EXPECT_THAT(OnlyFault("a: \"x\\0y\"").found, HasSubstr("NUL"));
  EXPECT_THAT(OnlyFault("{\"a\": \"\\u0000\"}").found, HasSubstr("NUL"));
  EXPECT_THAT(OnlyFault("{\"\\u0000\": 1}").found, HasSubstr("NUL"));
}

TEST(DocumentTest, OnlyOneDocumentAFile) {
  EXPECT_THAT(OnlyFault("a: 1\n---\nb: 2\n").found, HasSubstr("second document"));
  EXPECT_EQ(ToJson(Read("---\na: 1\n...\n")), R"({"a":1})");
}

TEST(DocumentTest, OddKeysAndTagsAreRefused) {
  EXPECT_THAT(OnlyFault("? [a]\n: 1\n").found, HasSubstr("as a key"));
  EXPECT_THAT(OnlyFault("~: 1\n").found, HasSubstr("nothing as a key"));
  EXPECT_THAT(OnlyFault("a: &x b\n*x : 1\n").found, HasSubstr("an alias as a key"));
  EXPECT_THAT(OnlyFault("a: !python/object:os.system x\n").found, HasSubstr("the tag"));
  EXPECT_THAT(OnlyFault("a: !!binary aGk=\n").found, HasSubstr("the tag"));
  EXPECT_THAT(OnlyFault("a: !!int x\n").found, HasSubstr("the tag"));
  EXPECT_THAT(OnlyFault("b: &b {x: 1}\na: {<<: *b}\n").found, HasSubstr("merge key"));
  EXPECT_THAT(OnlyFault(std::string(1000, 'k') + ": 1\n").found, HasSubstr("a key of 1000 bytes"));
}

TEST(DocumentTest, FaultTextHasTheFormOfACompiler) {
  const std::vector<Fault> faults = {{.path = "resources.devices",
                                      .line = 7,
                                      .column = 12,
                                      .found = "\"npu:x\"",
                                      .expected = "KIND:COUNT such as npu:8",
                                      .hint = "a hint"},
                                     {.path = "", .found = "a list", .expected = "a map"}};
  EXPECT_EQ(FaultText(faults, "job.yaml"),
            "job.yaml:7:12: resources.devices: found \"npu:x\", expected KIND:COUNT such as npu:8 "
            "(a hint)\njob.yaml: found a list, expected a map\n");
  EXPECT_EQ(FaultText({faults[1]}, ""), "found a list, expected a map\n");
  EXPECT_EQ(FaultsToJson(faults).at(0).at("path").as_string(), "resources.devices");
}

}  // namespace
}  // namespace muster
