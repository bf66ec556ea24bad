#include "s3/piece.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "base/thread_annotations.h"

namespace muster::s3 {
namespace {

constexpr size_t kWhole = Piece::kMost + Piece::kPage;  // with the room behind
constexpr size_t kMostSpare = 16;
static_assert(Piece::kRoomBehind <= Piece::kPage);

}  // namespace

// Memory goes from piece to piece: what is fresh from the system costs more than to fill it.
class Piece::Spare {
 public:
  static Spare& All() {
    static Spare& spare = *new Spare;  // pieces may outlive what is static
    return spare;
  }

  Memory Take() EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (!memory_.empty()) {
        Memory one = std::move(memory_.back());
        memory_.pop_back();
        return one;
      }
    }
    return Fresh(kWhole);
  }

  void Keep(Memory one) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (memory_.size() < kMostSpare) memory_.push_back(std::move(one));
  }

  static Memory Fresh(size_t size) {
    auto* const memory = static_cast<char*>(std::aligned_alloc(kPage, size));
    if (memory == nullptr) throw std::bad_alloc();
    return Memory(memory);
  }

 private:
  Mutex mutex_;
  std::vector<Memory> memory_ GUARDED_BY(mutex_);
};

Piece::~Piece() {
  if (capacity_ == kWhole) Spare::All().Keep(std::move(memory_));
}

void Piece::Reserve(size_t size) {
  if (size > capacity_) Grow(size);
}

void Piece::Append(std::string_view bytes) {
  Reserve(size_ + bytes.size());
  if (!bytes.empty()) std::memcpy(memory_.get() + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
}

void Piece::Grow(size_t size) {
  const size_t capacity = std::max(std::bit_ceil(size), 4 * kPage);
  const bool whole = capacity > kMost / 2;
  Memory memory = whole ? Spare::All().Take() : Spare::Fresh(capacity);
  if (size_ > 0) std::memcpy(memory.get(), memory_.get(), size_);
  memory_ = std::move(memory);
  capacity_ = whole ? kWhole : capacity;
}

}  // namespace muster::s3
