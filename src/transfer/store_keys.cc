#include "transfer/store_keys.h"

#include <fmt/format.h>

#include "base/text.h"
#include "s3/xml.h"

namespace muster::transfer {
namespace {

Result<s3::XmlElement> ReadAnswer(std::string_view xml, std::string_view name) {
  auto root = s3::ReadXml(xml);
  if (root && root->name == name) return root;
  return Fail(Code::kCorrupt, "the server's answer is no list of keys",
              "check that the endpoint is a store of Muster's; others have tools of their own");
}

StoreKey ReadOne(const s3::XmlElement& element) {
  StoreKey key{std::string(Trim(element.TextOf("AccessKey"))),
               std::string(Trim(element.TextOf("SecretKey"))),
               std::string(Trim(element.TextOf("User"))),
               {}};
  for (const s3::XmlElement& child : element.children) {
    if (child.name != "Grant") continue;
    key.grants.push_back({std::string(Trim(child.TextOf("Bucket"))),
                          std::string(child.TextOf("Prefix")),
                          Trim(child.TextOf("Write")) == "true"});
  }
  return key;
}

}  // namespace

Result<std::vector<StoreKey>> ReadKeys(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "Keys"));
  std::vector<StoreKey> keys;
  for (const s3::XmlElement& child : root.children) keys.push_back(ReadOne(child));
  return keys;
}

Result<StoreKey> ReadNewKey(std::string_view xml) {
  MUSTER_ASSIGN(const s3::XmlElement root, ReadAnswer(xml, "Key"));
  return ReadOne(root);
}

std::string WriteNewKey(const StoreKey& wanted) {
  s3::XmlWriter xml("NewKey", "");
  xml.Add("User", wanted.user);
  for (const KeyGrant& grant : wanted.grants) {
    xml.Open("Grant").Add("Bucket", grant.bucket).Add("Prefix", grant.prefix);
    xml.Add("Write", grant.write ? "true" : "false").Close();
  }
  return xml.Finish();
}

}  // namespace muster::transfer
