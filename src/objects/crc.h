#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace muster::objects {

// A reflected CRC, eight bytes a step. `Word` has its width, `Polynomial` is written reflected.
template <typename Word, Word Polynomial>
class Crc {
 public:
  void Add(std::string_view bytes) {
    Word crc = value_;
    const char* at = bytes.data();
    size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
      uint64_t word;
      std::memcpy(&word, at, 8);
      word ^= crc;
      crc = 0;
      for (int i = 0; i < 8; ++i) crc ^= kTables[size_t(7 - i)][(word >> (8 * i)) & 0xff];
    }
    for (; left > 0; --left, ++at) {
      crc = kTables[0][(crc ^ static_cast<uint8_t>(*at)) & 0xff] ^ Shift(crc);
    }
    value_ = crc;
  }
  Word value() const { return static_cast<Word>(~value_); }

 private:
  static constexpr Word Shift(Word word) { return static_cast<Word>(word >> 8); }
  using Tables = std::array<std::array<Word, 256>, 8>;
  static constexpr Tables MakeTables() {
    Tables tables{};
    for (size_t i = 0; i < 256; ++i) {
      Word value = static_cast<Word>(i);
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) ? Polynomial : 0);
      tables[0][i] = value;
    }
    for (size_t i = 0; i < 256; ++i) {
      for (size_t k = 1; k < 8; ++k) {
        const Word before = tables[k - 1][i];
        tables[k][i] = tables[0][before & 0xff] ^ Shift(before);
      }
    }
    return tables;
  }
  static constexpr Tables kTables = MakeTables();

  Word value_ = static_cast<Word>(~Word(0));
};

using Crc32 = Crc<uint32_t, 0xEDB88320u>;
using Crc32C = Crc<uint32_t, 0x82F63B78u>;
using Crc64Nvme = Crc<uint64_t, 0x9A6C9329AC4BC9B5u>;

}  // namespace muster::objects
