#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/spec_reader.h"

// Arbitrary bytes are read or rejected with at least one fault; a parsed job has a normal form that
// round-trips.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (TextFormat format : {TextFormat::kYaml, TextFormat::kJson}) {
    Marks marks;
    const auto document = ReadDocument(text, format, &marks);
    if (!document) {
      if (document.error().empty() || FaultText(document.error(), "f").empty()) std::abort();
      continue;
    }
    const auto specs = ReadSpecs(*document, marks);
    if (!specs) {
      if (specs.error().empty() || FaultsToJson(specs.error()).empty()) std::abort();
      continue;
    }
    const JobSpec& spec = specs->back();
    const auto again = ReadSpecs(ToJsonObject(spec), {});
    if (!again || again->size() != 1 || again->front() != spec) std::abort();
  }
  return 0;
}
