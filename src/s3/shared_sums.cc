#include "s3/shared_sums.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <iterator>
#include <optional>
#include <thread>
#include <vector>

#include "base/thread_annotations.h"
#include "s3/digest.h"
#include "s3/md5_sha256.h"
#include "s3/sha256_chunks.h"

namespace muster::s3 {
namespace {

constexpr size_t kSmallestPiece = 32 << 10;
constexpr size_t kMostComing = 8 << 20;  // of all texts, in pieces that are not yet whole

}  // namespace

class SharedSums::Text {
 public:
  explicit Text(Sha256 wanted) : with_sha256_(wanted == Sha256::kWanted) {
    if (with_sha256_) whole_text_.Expect(Sha256Chunks::kUnknown);
  }

  // Of the thread that uses the text.
  std::shared_ptr<Piece> coming = std::make_shared<Piece>();  // not yet whole
  size_t piece_size = Piece::kMost;
  uint64_t length = 0;  // of all bytes

  // Of the choir.
  std::deque<SharedPiece> whole;           // pieces to hash, the first perhaps in part
  bool busy = false;                       // somebody hashes the first
  Sha256Chunks chunks;                     // those that were asked for
  std::vector<std::string> chunks_hashed;  // since somebody took them

  // No more is coming. Behind the last byte goes what MD5 wants there: the mark and the length in
  // bits, little-endian.
  void End() {
    end_ = length;
    std::string behind(1, '\x80');
    while ((length + behind.size()) % kMd5Block != kMd5Block - sizeof(uint64_t)) behind += '\0';
    for (size_t i = 0; i < sizeof(uint64_t); ++i) behind += static_cast<char>(length * 8 >> 8 * i);
    coming->Append(behind);
  }

  size_t FirstBlocks() const { return (whole.front()->size() - hashed_) / kMd5Block; }
  // The next blocks, to be hashed before they are Taken. SHA-256 has no use for what stands behind
  // the text.
  void Take(size_t blocks, std::vector<Md5Lane>& md5, std::vector<Sha256Lane>& sha256) {
    busy = true;
    const char* const bytes = whole.front()->data() + hashed_;
    md5.push_back({&md5_, bytes, blocks});
    const std::string_view own(bytes, std::min<uint64_t>(blocks * kMd5Block, end_ - taken_));
    taken_ += own.size();
    whole_text_.Add(own, sha256);
    chunks.Add(own, sha256);
  }
  void Taken(size_t blocks) {
    busy = false;
    hashed_ += blocks * kMd5Block;
    std::ranges::move(chunks.TakeEnded(), std::back_inserter(chunks_hashed));
    if (hashed_ < whole.front()->size()) return;
    whole.pop_front();
    hashed_ = 0;
  }

  Sums Value() {
    Sums sums;
    for (const uint32_t word : md5_.words) {
      for (int i = 0; i < 4; ++i) sums.md5 += static_cast<char>(word >> 8 * i);
    }
    whole_text_.End();
    if (with_sha256_) sums.sha256 = whole_text_.TakeEnded().front();
    return sums;
  }

 private:
  const bool with_sha256_;
  Md5State md5_;
  Sha256Chunks whole_text_;
  uint64_t taken_ = 0, end_ = UINT64_MAX;  // bytes of the text; the latter known at the end
  size_t hashed_ = 0;                      // bytes of the first piece
};

// All texts that are coming, in one process.
class SharedSums::Choir {
 public:
  static Choir& All() {
    static Choir& choir = *new Choir;  // its thread may outlive what is static
    return choir;
  }

  void Join(Text* text) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    texts_.push_back(text);
    ChoosePieceSize(*text);
  }

  void Leave(Text* text) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (text->busy) idle_.Wait(lock);
    while (!text->whole.empty()) {
      const size_t blocks = text->FirstBlocks();
      waiting_ -= blocks * kMd5Block;
      text->Taken(blocks);
    }
    coming_ -= text->piece_size;
    std::erase(texts_, text);
  }

  // What is coming is a whole piece. Pieces wait for company: two texts that were hashed by their
  // threads as they fill would each be hashed alone. They are hashed by a thread of its own while
  // more is coming, which may be on one thread all of it; who brings more than there is room for
  // does as that one does.
  void Hand(Text& text) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      Push(text);
      coming_ -= text.piece_size;
      ChoosePieceSize(text);
      if (waiting_ <= Room()) return;
      if (!std::exchange(has_helper_, true)) std::thread([this] { Help(); }).detach();
      work_.NotifyOne();
    }
    while (auto pass = Next(nullptr)) Hash(*pass);
  }

  void Expect(Text& text, int64_t length) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    text.chunks.Expect(length);
  }
  void Skip(Text& text, int64_t length) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    text.chunks.Skip(length);
  }
  std::vector<std::string> TakeChunks(Text& text) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return std::exchange(text.chunks_hashed, {});
  }

  Sums Finish(Text& text) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      text.End();
      Push(text);
    }
    while (auto pass = Next(&text)) Hash(*pass);
    return text.Value();
  }

 private:
  struct Pass {
    std::vector<Text*> texts;
    std::vector<Md5Lane> md5;
    std::vector<Sha256Lane> sha256;  // of those who want it, or of their chunks
    size_t blocks = 0;               // of each text
  };

  // An equal share of what all may have, or what is left of it.
  void ChoosePieceSize(Text& text) REQUIRES(mutex_) {
    const size_t left = kMostComing - std::min(coming_, kMostComing);
    const size_t share = std::min(kMostComing / texts_.size(), left);
    text.piece_size = std::clamp(std::bit_floor(share), kSmallestPiece, Piece::kMost);
    coming_ += text.piece_size;
  }

  void Push(Text& text) REQUIRES(mutex_) {
    waiting_ += text.coming->size();
    text.whole.push_back(std::exchange(text.coming, std::make_shared<Piece>()));
  }

  // What is to be hashed at once: all of a text that ends, else as much as has no room. Waits where
  // others hash it already.
  std::optional<Pass> Next(Text* ending) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (ending != nullptr ? !ending->whole.empty() : waiting_ > kMostWaiting) {
      Pass pass = ending != nullptr && ending->busy ? Pass() : Choose(ending);
      if (!pass.texts.empty()) return pass;
      idle_.Wait(lock);
    }
    return std::nullopt;
  }

  // The helper, for as long as the process lives.
  void Help() EXCLUDES(mutex_) {
    while (true) {
      Pass pass;
      {
        MutexLock lock(mutex_);
        while (waiting_ <= Room() || (pass = Choose(nullptr)).texts.empty()) work_.Wait(lock);
      }
      Hash(pass);
    }
  }

  // How much waits before the helper begins. The fewer would be hashed abreast, the more, for
  // others to come up. Four take little longer than one. The only one is hashed while it comes.
  size_t Room() const REQUIRES(mutex_) {
    if (texts_.size() == 1) return Piece::kMost;
    const auto ready = std::ranges::count_if(
        texts_, [](const Text* text) { return !text->busy && !text->whole.empty(); });
    if (ready == 1) return kMostWaiting;
    const bool good_company = std::cmp_greater_equal(ready, std::min<size_t>(texts_.size(), 4));
    return good_company ? kMostWaiting / 3 : kMostWaiting * 2 / 3;
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
    for (Text* const text : pass.texts) {
      text->Take(pass.blocks, pass.md5, pass.sha256);
    }
    waiting_ -= pass.texts.size() * pass.blocks * kMd5Block;
    return pass;
  }

  void Hash(Pass& pass) EXCLUDES(mutex_) {
    AddMd5AndSha256Blocks(pass.md5, pass.sha256);
    const MutexLock lock(mutex_);
    for (Text* const text : pass.texts) text->Taken(pass.blocks);
    idle_.NotifyAll();
    if (has_helper_ && waiting_ > Room()) work_.NotifyOne();
  }

  Mutex mutex_;
  CondVar idle_;  // a pass is done
  CondVar work_;  // of the helper
  bool has_helper_ GUARDED_BY(mutex_) = false;
  std::vector<Text*> texts_ GUARDED_BY(mutex_);
  size_t coming_ GUARDED_BY(mutex_) = 0;   // bytes that pieces which are not yet whole may have
  size_t waiting_ GUARDED_BY(mutex_) = 0;  // bytes of whole pieces that nobody hashes
};

SharedSums::SharedSums(Sha256 sha256) : sha256_(sha256) {}
SharedSums::SharedSums(SharedSums&&) noexcept = default;
SharedSums& SharedSums::operator=(SharedSums&& other) noexcept {
  std::swap(text_, other.text_);  // the old one leaves with `other`
  std::swap(sha256_, other.sha256_);
  return *this;
}
SharedSums::~SharedSums() {
  if (text_) Choir::All().Leave(text_.get());
}

SharedSums::Text& SharedSums::Begun() {
  if (!text_) {
    text_ = std::make_unique<Text>(sha256_);
    Choir::All().Join(text_.get());
  }
  return *text_;
}

void SharedSums::Expect(int64_t length) { Choir::All().Expect(Begun(), length); }
void SharedSums::Skip(int64_t length) { Choir::All().Skip(Begun(), length); }
std::vector<std::string> SharedSums::TakeChunks() {
  return text_ ? Choir::All().TakeChunks(*text_) : std::vector<std::string>();
}

void SharedSums::Add(std::string_view bytes, const Sight& see) {
  if (bytes.empty()) return;
  Begun();
  text_->length += bytes.size();
  while (!bytes.empty()) {
    const std::string_view some = bytes.substr(0, text_->piece_size - text_->coming->size());
    // A second piece says that more will come: it gets its room at once.
    if (text_->length > text_->piece_size) text_->coming->Reserve(text_->piece_size);
    text_->coming->Append(some);
    bytes.remove_prefix(some.size());
    if (text_->coming->size() < text_->piece_size) continue;
    if (see) see(text_->coming);
    Choir::All().Hand(*text_);
  }
}

// Most requests have no body, and need no company for it.
SharedSums::Sums SharedSums::OfNothing() const {
  static const Sums sums = {DigestOf(DigestKind::kMd5, ""), DigestOf(DigestKind::kSha256, "")};
  return {sums.md5, sha256_ == Sha256::kNone ? "" : sums.sha256};
}

SharedSums::Sums SharedSums::Finish(const Sight& see) {
  if (!text_) return OfNothing();
  if (see && !text_->coming->empty()) see(text_->coming);
  return Choir::All().Finish(*text_);
}

}  // namespace muster::s3
