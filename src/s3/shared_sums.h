#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "s3/piece.h"

namespace muster::s3 {

// The MD5 and, where it is wanted, the SHA-256 of one text that comes in pieces, and that of chunks
// of it, hashed abreast with the others that are coming at the same time, on whatever thread: up to
// sixteen in the time of one. It is gathered to large pieces that wait in memory, at most
// kMostWaiting bytes of all texts; the thread whose piece is too much hashes of as many texts as
// wait. One thread at a time uses one of these.
class SharedSums {
 public:
  static constexpr size_t kMostWaiting = 8 << 20;

  // Sees the text in the pieces it is gathered to, each once and in their order: all but the last
  // are whole pages long, as files are written best.
  using Sight = std::function<void(const SharedPiece&)>;

  struct Sums {
    std::string md5, sha256;  // raw; the latter empty where it was not wanted
  };

  enum class Sha256 { kNone, kWanted };

  explicit SharedSums(Sha256 sha256 = Sha256::kNone);
  ~SharedSums();
  SharedSums(SharedSums&&) noexcept;
  SharedSums& operator=(SharedSums&&) noexcept;

  // What comes next is a chunk of this length whose SHA-256 is wanted by itself, or, to be skipped,
  // is in none.
  void Expect(int64_t length);
  void Skip(int64_t length);
  // Raw, of the chunks that were hashed since, in their order; behind Finish of all.
  std::vector<std::string> TakeChunks();

  void Add(std::string_view bytes, const Sight& see = nullptr);
  Sums Finish(const Sight& see = nullptr);  // once

 private:
  class Text;
  class Choir;
  Text& Begun();
  Sums OfNothing() const;

  Sha256 sha256_;
  std::unique_ptr<Text> text_;  // none before there is something of it
};

}  // namespace muster::s3
