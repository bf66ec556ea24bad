#include "s3/shared_md5.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <vector>

#include "base/thread_annotations.h"
#include "s3/md5_lanes.h"

namespace muster::s3 {
namespace {

constexpr size_t kSmallestPiece = 32 << 10;
constexpr size_t kMostSpare = SharedMd5::kMostWaiting / SharedMd5::kPiece;

}  // namespace

class SharedMd5::Text {
 public:
  // Of the thread that uses the text.
  std::string coming;  // a piece that is not yet whole
  size_t piece_size = kPiece;
  uint64_t length = 0;  // of all bytes

  // Of the choir.
  std::deque<std::string> whole;  // pieces to hash, the first perhaps in part
  bool busy = false;              // somebody hashes the first

  // Behind the last byte: the mark and the length in bits, little-endian.
  void Pad() {
    const uint64_t bits = length * 8;
    coming += '\x80';
    while (coming.size() % kMd5Block != kMd5Block - sizeof bits) coming += '\0';
    for (size_t i = 0; i < sizeof bits; ++i) coming += static_cast<char>(bits >> (8 * i));
  }

  size_t FirstBlocks() const { return (whole.front().size() - hashed_) / kMd5Block; }
  Md5Lane Take(size_t most_blocks) {
    busy = true;
    taken_ = std::min(FirstBlocks(), most_blocks);
    return {&state_, whole.front().data() + hashed_, taken_};
  }
  // The memory of a piece that is through, else none.
  std::string Taken() {
    busy = false;
    hashed_ += taken_ * kMd5Block;
    if (hashed_ < whole.front().size()) return {};
    std::string through = std::move(whole.front());
    whole.pop_front();
    hashed_ = 0;
    return through;
  }

  std::string Value() const {
    std::string raw;
    for (const uint32_t word : state_.words) {
      for (int i = 0; i < 4; ++i) raw += static_cast<char>(word >> (8 * i));
    }
    return raw;
  }

 private:
  Md5State state_;
  size_t hashed_ = 0;  // bytes of the first piece
  size_t taken_ = 0;   // blocks that are being hashed
};

// All texts that are coming, in one process.
class SharedMd5::Choir {
 public:
  static Choir& All() {
    static Choir choir;
    return choir;
  }

  void Join(Text* text) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    texts_.push_back(text);
    text->piece_size = PieceSize();
  }

  void Leave(Text* text) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (text->busy) idle_.Wait(lock);
    std::erase(texts_, text);
  }

  // What is coming is a whole piece. Few texts wait long, so that each pass finds a piece of all
  // of them: two that are hashed by two threads as they fill would each be hashed alone.
  void Hand(Text& text) EXCLUDES(mutex_) {
    size_t share = 0;
    {
      const MutexLock lock(mutex_);
      text.whole.push_back(std::move(text.coming));
      text.coming.clear();
      if (!spare_.empty()) {
        text.coming.swap(spare_.back());
        spare_.pop_back();
      }
      text.piece_size = PieceSize();
      share = std::max<size_t>(kMostWaiting / texts_.size() / text.piece_size, 1);
    }
    HashDownTo(text, share);
  }

  std::string Finish(Text& text) EXCLUDES(mutex_) {
    text.Pad();
    {
      const MutexLock lock(mutex_);
      text.whole.push_back(std::move(text.coming));
    }
    HashDownTo(text, 0);
    return text.Value();
  }

 private:
  // Many texts fill all lanes, and need not wait in large pieces for that.
  size_t PieceSize() const REQUIRES(mutex_) {
    return std::clamp(std::bit_floor(kMostWaiting / texts_.size()), kSmallestPiece, kPiece);
  }

  void HashDownTo(Text& text, size_t pieces) EXCLUDES(mutex_) {
    std::vector<Text*> texts;
    std::vector<Md5Lane> lanes;
    while (true) {
      {
        MutexLock lock(mutex_);
        for (Text* const taken : texts) Keep(taken->Taken());
        if (!texts.empty()) idle_.NotifyAll();
        while (text.busy) idle_.Wait(lock);
        if (text.whole.size() <= pieces) return;
        Choose(text, texts, lanes);
      }
      AddMd5Blocks(lanes);
    }
  }

  // Memory goes from piece to piece: what is fresh from the system costs more than to fill it.
  void Keep(std::string memory) REQUIRES(mutex_) {
    if (memory.capacity() < kPiece || spare_.size() >= kMostSpare) return;
    memory.clear();
    spare_.push_back(std::move(memory));
  }

  // The text and others that have a piece waiting, as many as are hashed abreast, and of none more
  // than of the first: the rest would be hashed without company.
  void Choose(Text& first, std::vector<Text*>& texts, std::vector<Md5Lane>& lanes)
      REQUIRES(mutex_) {
    texts.assign({&first});
    const size_t most = first.FirstBlocks();
    lanes.assign({first.Take(most)});
    for (Text* const text : texts_) {
      if (texts.size() >= Md5Width()) break;
      if (text->busy || text->whole.empty()) continue;
      texts.push_back(text);
      lanes.push_back(text->Take(most));
    }
  }

  Mutex mutex_;
  CondVar idle_;
  std::vector<Text*> texts_ GUARDED_BY(mutex_);
  std::vector<std::string> spare_ GUARDED_BY(mutex_);
};

SharedMd5::SharedMd5() = default;
SharedMd5::SharedMd5(SharedMd5&&) noexcept = default;
SharedMd5& SharedMd5::operator=(SharedMd5&& other) noexcept {
  text_.swap(other.text_);  // the old one leaves with `other`
  return *this;
}
SharedMd5::~SharedMd5() {
  if (text_) Choir::All().Leave(text_.get());
}

void SharedMd5::Add(std::string_view bytes, const Sight& see) {
  if (!text_) {
    text_ = std::make_unique<Text>();
    Choir::All().Join(text_.get());
  }
  text_->length += bytes.size();
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, text_->piece_size - text_->coming.size());
    // A second piece says that more will come: it gets its room at once.
    if (text_->length > text_->piece_size) text_->coming.reserve(text_->piece_size);
    text_->coming += piece;
    bytes.remove_prefix(piece.size());
    if (text_->coming.size() < text_->piece_size) continue;
    if (see) see(text_->coming);
    Choir::All().Hand(*text_);
  }
}

std::string SharedMd5::Finish(const Sight& see) {
  if (!text_) Add({});
  if (see && !text_->coming.empty()) see(text_->coming);
  return Choir::All().Finish(*text_);
}

}  // namespace muster::s3
