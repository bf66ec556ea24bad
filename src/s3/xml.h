#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::s3 {

// An XML element: children and text, without namespaces and attributes.
struct XmlElement {
  std::string name;  // without prefix
  std::string text;  // own text with entities resolved
  std::vector<XmlElement> children;

  const XmlElement* Find(std::string_view child) const;   // the first; null if there is none
  std::string_view TextOf(std::string_view child) const;  // empty if there is none
};

// Parses a document. kCorrupt for features that S3 bodies never need: document types, entities
// beyond the five, processing instructions except the first line, depth above 8, above 100,000
// elements. Time and memory are linear in the text.
Result<XmlElement> ReadXml(std::string_view text);

// Writes a document; Open and Close must be paired.
class XmlWriter {
 public:
  explicit XmlWriter(std::string_view root, std::string_view name_space = kS3);

  XmlWriter& Open(std::string_view name);
  XmlWriter& Close();
  XmlWriter& Add(std::string_view name, std::string_view text);
  XmlWriter& Add(std::string_view name, int64_t number);
  std::string Finish();  // closes open elements

  static constexpr std::string_view kS3 = "http://s3.amazonaws.com/doc/2006-03-01/";

 private:
  std::string text_;
  std::vector<std::string> open_;
};

// Text between tags. Characters that XML cannot represent, such as control characters, become
// U+FFFD: clients that need such keys request encoding-type=url, and documents must stay readable.
std::string XmlEscape(std::string_view text);

}  // namespace muster::s3
