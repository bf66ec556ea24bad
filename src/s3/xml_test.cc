#include "s3/xml.h"

#include <gmock/gmock.h>

namespace muster::s3 {
namespace {

TEST(ReadXml, AcceptsDocumentsOfClients) {
  const auto root = ReadXml(
      "<?xml version='1.0' encoding=\"UTF-8\"?>\n<!-- c --><s3:Delete xmlns:s3=\"http://x/\" a='1'>"
      "<Quiet>true</Quiet><Object><Key>a &lt;b&gt; &amp;&#34;&#x27;\n</Key></Object><Object/>"
      "<Object ><Key><![CDATA[<raw>&]]></Key></Object ></s3:Delete>\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->name, "Delete");
  EXPECT_EQ(root->TextOf("Quiet"), "true");
  ASSERT_EQ(root->children.size(), 4u);
  EXPECT_EQ(root->children[1].TextOf("Key"), "a <b> &\"'\n");
  EXPECT_EQ(root->children[2].Find("Key"), nullptr);
  EXPECT_EQ(root->children[3].TextOf("Key"), "<raw>&");
}

TEST(ReadXml, ByteOrderMarkInFrontIsSkipped) {
  const auto read = ReadXml("\xef\xbb\xbf<k>v</k>");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "v");
  EXPECT_TRUE(ReadXml("\xef\xbb\xbf<?xml version=\"1.0\"?><k/>"));
  EXPECT_FALSE(ReadXml("\xef\xbb\xbf"));
  EXPECT_FALSE(ReadXml("\xef\xbb<k/>"));
  EXPECT_FALSE(ReadXml("\xef\xbb\xbf\xef\xbb\xbf<k/>"));
}

TEST(ReadXml, CharacterReferencesBecomeUtf8) {
  EXPECT_EQ(ReadXml("<k>&#xe9;&#20013;&#x1F389;&#x1;</k>")->text, "é中🎉\x01");
}

TEST(ReadXml, BrokenAndHostileDocumentsAreRejected) {
  std::string deep, wide = "<a>";
  for (int i = 0; i < 9; ++i) deep += "<a>";
  for (int i = 0; i < 9; ++i) deep += "</a>";
  for (int i = 0; i < 100'001; ++i) wide += "<b/>";
  wide += "</a>";
  for (const std::string& text :
       std::vector<std::string>{"",
                                " ",
                                "text",
                                "<a>",
                                "<a",
                                "<a></b>",
                                "<a/><b/>",
                                "<a/>x",
                                "</a>",
                                "<a b></a>",
                                "<a b=c/>",
                                "<a b=\"<\"/>",
                                "<a b=\"/>",
                                "<a>&foo;</a>",
                                "<a>&#0;</a>",
                                "<a>&#xD800;</a>",
                                "<a>&#x110000;</a>",
                                "<a>&#12x;</a>",
                                "<a>&amp</a>",
                                "<a><!-- </a>",
                                "<a><![CDATA[</a>",
                                "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
                                "<a><!ELEMENT b></a>",
                                "<a><?php ?></a>",
                                "<?xml version='1.0'",
                                "<a>\xff</a>",
                                "< a/>",
                                "<a><a",
                                deep,
                                wide}) {
    const auto root = ReadXml(text);
    ASSERT_FALSE(root) << text.substr(0, 60);
    EXPECT_EQ(root.error().code, Code::kCorrupt);
  }
}

TEST(XmlWriter, OutputIsReadBack) {
  const std::string text =
      XmlWriter("R").Open("C").Add("K", "<&>\"' \t\n é").Close().Add("N", 7).Finish();
  EXPECT_TRUE(
      text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<R xmlns=\"http://s3."));
  const auto root = ReadXml(text);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->Find("C")->TextOf("K"), "<&>\"' \t\n é");
  EXPECT_EQ(root->TextOf("N"), "7");
}

TEST(XmlEscape, OutputIsUtf8) { EXPECT_EQ(XmlEscape("a\xff\x01"), "a\xef\xbf\xbd\xef\xbf\xbd"); }

TEST(XmlEscape, OutputContainsOnlyXmlCharacters) {
  EXPECT_EQ(XmlEscape("\uFFFE-\uFFFF"), "\uFFFD-\uFFFD");
  for (const char* other : {"\uFFFD", "\uFFEF", "\uE000", "\uFEFF", "\U0001FFFE", "\U0010FFFF"}) {
    EXPECT_EQ(XmlEscape(other), other) << "XML has it";
  }
}

}  // namespace
}  // namespace muster::s3
