#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace muster::s3 {

// The MD5 of one text that comes in pieces, hashed abreast with the others that are coming at the
// same time, on whatever thread: up to sixteen in the time of one. Pieces wait in memory, at most
// kMostWaiting bytes of each text, until one of the texts has no more room; its thread then hashes
// what waits of all. One thread at a time uses one of these.
class SharedMd5 {
 public:
  static constexpr size_t kMostWaiting = 64 << 10;

  SharedMd5();
  ~SharedMd5();
  SharedMd5(SharedMd5&&) noexcept;
  SharedMd5& operator=(SharedMd5&&) noexcept;

  void Add(std::string_view bytes);
  std::string Finish();  // raw; once

 private:
  class Text;
  class Choir;
  std::unique_ptr<Text> text_;  // none before the first byte
};

}  // namespace muster::s3
