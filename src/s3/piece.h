#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace muster::s3 {

// A stretch of a text, in memory that begins on a page, as a disk takes it without a copy.
class Piece {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kMost = 256 << 10;  // of the text; what a hash wants behind it has room

  Piece() = default;
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // Small ones have little memory, so that a thousand small texts at a time do.
  void Append(std::string_view bytes);
  void Reserve(size_t size);  // at most kMost

  const char* data() const { return memory_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view bytes() const { return {memory_, size_}; }

 private:
  void Grow(size_t size);

  char* memory_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

// Held by who hashes it and by who writes it, whoever is later.
using SharedPiece = std::shared_ptr<const Piece>;

}  // namespace muster::s3
