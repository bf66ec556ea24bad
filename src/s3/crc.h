#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/crc32c.h"

namespace muster::s3 {

// A reflected CRC, eight bytes per step. `Word` has its width, `Polynomial` is reflected.
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

// The CRC of two concatenated texts from their CRCs and the length of the second.
template <typename Word, Word Polynomial>
Word CombineCrc(Word first, Word second, int64_t second_length) {
  constexpr int kBits = sizeof(Word) * 8;
  using Matrix = std::array<Word, size_t(kBits)>;  // column i: the result of bit i
  const auto times = [](const Matrix& matrix, Word vector) {
    Word sum = 0;
    for (size_t i = 0; vector != 0; ++i, vector >>= 1) sum ^= (vector & 1) ? matrix[i] : 0;
    return sum;
  };
  Matrix step{};  // one zero bit appended
  step[0] = Polynomial;
  for (size_t i = 1; i < size_t(kBits); ++i) step[i] = Word(1) << (i - 1);
  // Repeated squaring: 2, 4, 8 bits, and thereby every power of two of bytes.
  const auto square = [&] {
    Matrix squared{};
    for (size_t i = 0; i < size_t(kBits); ++i) squared[i] = times(step, step[i]);
    step = squared;
  };
  for (int i = 0; i < 3; ++i) square();
  for (auto left = static_cast<uint64_t>(second_length); left != 0; left >>= 1) {
    if (left & 1) first = times(step, first);
    square();
  }
  return first ^ second;
}

using Crc32 = Crc<uint32_t, 0xEDB88320u>;
// Processors have an instruction for CRC-32C.
class Crc32C {
 public:
  void Add(std::string_view bytes) { value_ = muster::Crc32c(bytes, value_); }
  uint32_t value() const { return value_; }

 private:
  uint32_t value_ = 0;
};
using Crc64Nvme = Crc<uint64_t, 0x9A6C9329AC4BC9B5u>;

}  // namespace muster::s3
