#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

// CRC-32C (Castagnoli) of the bytes. For a text in pieces, `seed` is the result of the previous
// pieces.
uint32_t Crc32c(std::string_view bytes, uint32_t seed = 0);

}  // namespace muster
