// libFuzzer: any body read as XML, and written again.
#include <cstdlib>

#include "objects/xml.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto root = muster::objects::ReadXml(text);
  const std::string again =
      muster::objects::XmlWriter("R").Add("T", root ? root->text : text).Finish();
  if (!muster::objects::ReadXml(again)) std::abort();
  return 0;
}
