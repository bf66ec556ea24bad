// Any bytes as a code manifest: refused, or the same manifest again after a way through JSON.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/code_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const auto value = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  const auto manifest = store::CodeManifestFromJson(*value);
  if (!manifest) return 0;
  for (const store::CodeFile& file : manifest->files) {
    const std::filesystem::path path(file.path);
    if (path.is_absolute() || path.lexically_normal() != path) std::abort();
  }
  const auto again = store::CodeManifestFromJson(store::ToJsonObject(*manifest));
  if (!again || again->files != manifest->files) std::abort();
  if (store::ManifestHash(*again) != store::ManifestHash(*manifest)) std::abort();
  return 0;
}
