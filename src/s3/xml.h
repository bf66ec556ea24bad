#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::s3 {

// An element of a body: children and text, namespaces and attributes dropped.
struct XmlElement {
  std::string name;  // without prefix
  std::string text;  // of its own, entities resolved
  std::vector<XmlElement> children;

  const XmlElement* Find(std::string_view child) const;   // the first; null when there is none
  std::string_view TextOf(std::string_view child) const;  // empty when there is none
};

// One document. kCorrupt, the text naming the cause alone, on anything that a body of S3 never
// needs: document types, entities beyond the five, processing instructions but the first line,
// depth above 8, above 100,000 elements. Time and memory grow with the text alone.
Result<XmlElement> ReadXml(std::string_view text);

// Writes a document; Open and Close must pair.
class XmlWriter {
 public:
  explicit XmlWriter(std::string_view root, std::string_view name_space = kS3);

  XmlWriter& Open(std::string_view name);
  XmlWriter& Close();
  XmlWriter& Add(std::string_view name, std::string_view text);
  XmlWriter& Add(std::string_view name, int64_t number);
  std::string Finish();  // closes what is open

  static constexpr std::string_view kS3 = "http://s3.amazonaws.com/doc/2006-03-01/";

 private:
  std::string text_;
  std::vector<std::string> open_;
};

// Text for between tags. What XML has no way to write, control characters above all, becomes
// U+FFFD: clients that want such keys ask for encoding-type=url, and no document may be unreadable.
std::string XmlEscape(std::string_view text);

}  // namespace muster::s3
