// libFuzzer: arbitrary text as object metadata or as a line of an upload's log.
#include <cstdlib>

#include "objects/object_meta.h"
#include "objects/part_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto meta = muster::objects::ReadMeta(text)) {
    const auto again = muster::objects::ReadMeta(muster::objects::WriteMeta(*meta));
    if (!again || again->user != meta->user || again->size != meta->size) std::abort();
  }
  (void)muster::objects::ReadPartLine(text);
  return 0;
}
