// libFuzzer: arbitrary bodies parsed as XML and written again.
#include <cstdlib>

#include "s3/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto root = muster::s3::ReadXml(text);
  const std::string again = muster::s3::XmlWriter("R").Add("T", root ? root->text : text).Finish();
  if (!muster::s3::ReadXml(again)) std::abort();
  return 0;
}
