#include "launcher/line_tail.h"

#include <unistd.h>

#include <utility>

namespace muster::launcher {
namespace {

constexpr int64_t kMostALook = 256 << 10;
constexpr int64_t kNewest = 64 << 10;
constexpr size_t kLongestLine = 64 << 10;

}  // namespace

void LineTail::Restart() {
  offset_ = 0;
  begun_.clear();
  skipping_ = false;
}

void LineTail::Look(int file, int64_t size, const TakeLine& take) {
  if (size < offset_) Restart();
  if (size - offset_ > kMostALook) {
    offset_ = size - kNewest;
    begun_.clear();
    skipping_ = skipped_ = true;
  }
  if (size == offset_) return;
  std::string bytes(size_t(size - offset_), '\0');
  const ssize_t got = pread(file, bytes.data(), bytes.size(), offset_);
  if (got <= 0) return;
  offset_ += got;
  TakeBytes(std::string_view(bytes).substr(0, size_t(got)), take);
}

void LineTail::TakeBytes(std::string_view bytes, const TakeLine& take) {
  const std::string_view ends = returns_ ? "\n\r" : "\n";
  size_t end = 0;
  while ((end = bytes.find_first_of(ends)) != std::string_view::npos) {
    EndLine(bytes.substr(0, end), bytes[end] == '\r' ? End::kReturn : End::kNewline, take);
    bytes.remove_prefix(end + 1);
  }
  if (skipping_) return;
  begun_ += bytes;
  if (begun_.size() <= kLongestLine) return;
  begun_.clear();
  skipping_ = skipped_ = true;
}

void LineTail::EndLine(std::string_view rest, End end, const TakeLine& take) {
  if (!std::exchange(skipping_, false)) take(begun_.empty() ? rest : begun_ += rest, end);
  begun_.clear();
}

}  // namespace muster::launcher
