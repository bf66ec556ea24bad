#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::s3 {

// The MD5 of one text that comes in pieces, hashed abreast with the others that are coming at the
// same time, on whatever thread: up to sixteen in the time of one. It is gathered to large pieces
// that wait in memory, at most kMostWaiting bytes of all texts; the thread whose piece is too much
// hashes of as many texts as wait. One thread at a time uses one of these.
class SharedMd5 {
 public:
  static constexpr size_t kMostWaiting = 3 << 20;
  static constexpr size_t kPiece = 256 << 10;

  // Sees the text in the pieces it is gathered to, each once and in their order: all but the last
  // are whole pages long, as files are written best.
  using Sight = std::function<void(std::string_view)>;

  SharedMd5();
  ~SharedMd5();
  SharedMd5(SharedMd5&&) noexcept;
  SharedMd5& operator=(SharedMd5&&) noexcept;

  void Add(std::string_view bytes, const Sight& see = nullptr);
  std::string Finish(const Sight& see = nullptr);  // raw; once

 private:
  class Text;
  class Choir;
  std::unique_ptr<Text> text_;  // none before the first byte
};

}  // namespace muster::s3
