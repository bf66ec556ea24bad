#include "transfer/ini.h"

#include <gmock/gmock.h>

namespace muster::transfer {
namespace {

TEST(Ini, FilesOfTheAwsToolsAreRead) {
  const auto sections = ReadIni(
      "# c\r\n[default]\r\nAWS_Access_Key_Id = AK\r\naws_secret_access_key=a/b+c=\r\n"
      "[profile two]\nregion=r\ns3 =\n  addressing_style = path\n  x=1\nendpoint_url = http://h:1\n"
      "[ profile \"a b\" ]\nregion = x\n");
  EXPECT_EQ(sections.at("default").at("aws_access_key_id"), "AK");
  EXPECT_EQ(sections.at("default").at("aws_secret_access_key"), "a/b+c=");
  EXPECT_EQ(sections.at("two").at("s3.addressing_style"), "path");
  EXPECT_EQ(sections.at("two").at("endpoint_url"), "http://h:1");
  EXPECT_EQ(sections.at("a b").at("region"), "x");
}

TEST(Ini, LinesThatAreNotSettingsAreIgnored) {
  EXPECT_TRUE(ReadIni("a = b\nno section\n").empty());
  EXPECT_TRUE(ReadIni("[s]\nwords\n= value\n[").at("s").empty());
}

}  // namespace
}  // namespace muster::transfer
