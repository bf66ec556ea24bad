#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace muster::s3 {

// A stretch of a text, in memory that begins on a page, as a disk takes it without a copy.
class Piece {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr size_t kMost = 256 << 10;  // of the text
  static constexpr size_t kRoomBehind = 128;  // for what a hash wants behind the last byte

  Piece() = default;
  ~Piece();
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  // Small ones have little memory, so that a thousand small texts at a time do.
  void Append(std::string_view bytes);
  void Reserve(size_t size);  // at most kMost

  const char* data() const { return memory_.get(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view bytes() const { return {memory_.get(), size_}; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<char, Free>;
  class Spare;

  void Grow(size_t size);

  Memory memory_;
  size_t size_ = 0, capacity_ = 0;
};

// Held by who hashes it and by who writes it, whoever is later.
using SharedPiece = std::shared_ptr<const Piece>;

}  // namespace muster::s3
