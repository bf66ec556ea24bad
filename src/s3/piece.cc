#include "s3/piece.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "base/thread_annotations.h"

namespace muster::s3 {
namespace {

constexpr size_t kSmallest = 4 * Piece::kPage;
constexpr size_t kMostHeld = 20 << 20;

// Memory goes from piece to piece: what is fresh from the system costs more than to fill it. What
// is too much goes back to the system, which a heap with holes of many sizes would not give.
class Spare {
 public:
  static Spare& All() {
    static Spare& spare = *new Spare;  // pieces may outlive what is static
    return spare;
  }

  char* Take(size_t size) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (char* const one = Pop(size)) return one;
      // What has another size than is wanted now makes room.
      for (auto& [other, those] : memory_) {
        while (held_ + size > kMostHeld && !those.empty()) Unmap(Pop(other), other);
      }
      held_ += size;
    }
    void* const fresh =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(fresh);
  }

  void Give(char* memory, size_t size) EXCLUDES(mutex_) {
    if (memory == nullptr) return;
    const MutexLock lock(mutex_);
    if (held_ > kMostHeld) return Unmap(memory, size);
    memory_[size].push_back(memory);
  }

 private:
  char* Pop(size_t size) REQUIRES(mutex_) {
    std::vector<char*>& those = memory_[size];
    if (those.empty()) return nullptr;
    char* const one = those.back();
    those.pop_back();
    return one;
  }

  void Unmap(char* memory, size_t size) REQUIRES(mutex_) {
    ::munmap(memory, size);
    held_ -= size;
  }

  Mutex mutex_;
  std::map<size_t, std::vector<char*>> memory_ GUARDED_BY(mutex_);  // by their size
  size_t held_ GUARDED_BY(mutex_) = 0;                              // bytes, in use or not
};

}  // namespace

Piece::~Piece() { Spare::All().Give(memory_, capacity_); }

void Piece::Reserve(size_t size) {
  if (size > capacity_) Grow(size);
}

void Piece::Append(std::string_view bytes) {
  Reserve(size_ + bytes.size());
  if (!bytes.empty()) std::memcpy(memory_ + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

// A power of two for the text, and a page behind it.
void Piece::Grow(size_t size) {
  size_t capacity = kSmallest;
  while (capacity + kPage < size) capacity *= 2;
  char* const memory = Spare::All().Take(capacity + kPage);
  if (size_ > 0) std::memcpy(memory, memory_, size_);
  Spare::All().Give(memory_, capacity_);
  memory_ = memory;
  capacity_ = capacity + kPage;
}

}  // namespace muster::s3
