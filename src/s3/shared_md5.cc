#include "s3/shared_md5.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <optional>
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
  Md5Lane Take(size_t blocks) {
    busy = true;
    return {&state_, whole.front().data() + hashed_, blocks};
  }
  // The memory of a piece that is through, else none.
  std::string Taken(size_t blocks) {
    busy = false;
    hashed_ += blocks * kMd5Block;
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
    while (!text->whole.empty()) {
      const size_t blocks = text->FirstBlocks();
      waiting_ -= blocks * kMd5Block;
      (void)text->Taken(blocks);
    }
    std::erase(texts_, text);
  }

  // What is coming is a whole piece. Pieces wait for company: two texts that were hashed by their
  // threads as they fill would each be hashed alone.
  void Hand(Text& text) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      Push(text);
      if (!spare_.empty()) {
        text.coming.swap(spare_.back());
        spare_.pop_back();
      }
      text.piece_size = PieceSize();
    }
    while (auto pass = Next(nullptr)) Hash(*pass);
  }

  std::string Finish(Text& text) EXCLUDES(mutex_) {
    text.Pad();
    {
      const MutexLock lock(mutex_);
      Push(text);
    }
    while (auto pass = Next(&text)) Hash(*pass);
    return text.Value();
  }

 private:
  struct Pass {
    std::vector<Text*> texts;
    std::vector<Md5Lane> lanes;
    size_t blocks = 0;  // of each
  };

  // So small that two of each text have room; many texts fill all lanes anyway.
  size_t PieceSize() const REQUIRES(mutex_) {
    const size_t size = std::bit_floor(kMostWaiting / 2 / texts_.size());
    return std::clamp(size, kSmallestPiece, kPiece);
  }

  void Push(Text& text) REQUIRES(mutex_) {
    waiting_ += text.coming.size();
    text.whole.push_back(std::move(text.coming));
    text.coming.clear();
  }

  // What is to be hashed now: all of a text that ends, else as much as has no room. Waits where
  // others hash it already.
  std::optional<Pass> Next(Text* ending) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (ending != nullptr ? !ending->whole.empty() : waiting_ > Room()) {
      Pass pass = ending != nullptr && ending->busy ? Pass() : Choose(ending);
      if (!pass.texts.empty()) return pass;
      idle_.Wait(lock);
    }
    return std::nullopt;
  }

  // One that would be hashed alone has half as much room again, for others to come up.
  size_t Room() const REQUIRES(mutex_) {
    const auto ready = std::ranges::count_if(
        texts_, [](const Text* text) { return !text->busy && !text->whole.empty(); });
    return ready == 1 && texts_.size() > 1 ? kMostWaiting : kMostWaiting * 2 / 3;
  }

  // As many texts as wait and can be abreast, `first` among them. All go as far as the shortest
  // can: the rest would be hashed with less company.
  Pass Choose(Text* first) REQUIRES(mutex_) {
    Pass pass;
    if (first != nullptr) pass.texts.push_back(first);
    for (Text* const text : texts_) {
      if (pass.texts.size() >= Md5Width()) break;
      if (text != first && !text->busy && !text->whole.empty()) pass.texts.push_back(text);
    }
    const auto shortest = std::ranges::min_element(pass.texts, {}, &Text::FirstBlocks);
    if (shortest != pass.texts.end()) pass.blocks = (*shortest)->FirstBlocks();
    for (Text* const text : pass.texts) pass.lanes.push_back(text->Take(pass.blocks));
    waiting_ -= pass.texts.size() * pass.blocks * kMd5Block;
    return pass;
  }

  void Hash(Pass& pass) EXCLUDES(mutex_) {
    AddMd5Blocks(pass.lanes);
    const MutexLock lock(mutex_);
    for (Text* const text : pass.texts) Keep(text->Taken(pass.blocks));
    idle_.NotifyAll();
  }

  // Memory goes from piece to piece: what is fresh from the system costs more than to fill it.
  void Keep(std::string memory) REQUIRES(mutex_) {
    if (memory.capacity() < kPiece || spare_.size() >= kMostSpare) return;
    memory.clear();
    spare_.push_back(std::move(memory));
  }

  Mutex mutex_;
  CondVar idle_;
  std::vector<Text*> texts_ GUARDED_BY(mutex_);
  size_t waiting_ GUARDED_BY(mutex_) = 0;  // bytes of whole pieces that nobody hashes
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
