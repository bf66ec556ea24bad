#include "s3/shared_md5.h"

#include <algorithm>
#include <vector>

#include "base/thread_annotations.h"
#include "s3/md5_lanes.h"

namespace muster::s3 {

class SharedMd5::Text {
 public:
  std::string waiting;  // not yet hashed
  uint64_t length = 0;  // of all bytes

  // Takes whole blocks of what waits out of it, to be hashed.
  Md5Lane Take() {
    hashing_.clear();
    hashing_.swap(waiting);
    const size_t whole = hashing_.size() / kMd5Block * kMd5Block;
    if (whole < hashing_.size()) waiting.assign(hashing_, whole);
    return {&state_, hashing_.data(), whole / kMd5Block};
  }
  void Taken() {
    // The memory goes on as that of what waits next; no second one is kept.
    if (hashing_.capacity() > waiting.capacity() && waiting.size() < kMd5Block) {
      hashing_.assign(waiting);
      waiting.swap(hashing_);
    }
    hashing_ = std::string();
  }
  // Behind the last byte: the mark and the length in bits, little-endian.
  void Pad() {
    const uint64_t bits = length * 8;
    waiting += '\x80';
    while (waiting.size() % kMd5Block != kMd5Block - sizeof bits) waiting += '\0';
    for (size_t i = 0; i < sizeof bits; ++i) waiting += static_cast<char>(bits >> (8 * i));
  }
  std::string Value() const {
    std::string raw;
    for (const uint32_t word : state_.words) {
      for (int i = 0; i < 4; ++i) raw += static_cast<char>(word >> (8 * i));
    }
    return raw;
  }

  bool busy = false;  // somebody hashes it

 private:
  Md5State state_;
  std::string hashing_;
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
  }

  void Leave(Text* text) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (text->busy) idle_.Wait(lock);
    std::erase(texts_, text);
  }

  void Add(Text& text, std::string_view bytes) EXCLUDES(mutex_) {
    while (!bytes.empty()) {
      Taken taken;
      {
        MutexLock lock(mutex_);
        const size_t room = kMostWaiting - text.waiting.size();
        if (bytes.size() <= room || text.waiting.size() < kMd5Block) {
          const std::string_view piece = bytes.substr(0, room);
          text.waiting += piece;
          text.length += piece.size();
          bytes.remove_prefix(piece.size());
          continue;
        }
        while (text.busy) idle_.Wait(lock);
        taken = TakeWith(text);
      }
      Hash(taken);
    }
  }

  std::string Finish(Text& text) EXCLUDES(mutex_) {
    Taken taken;
    {
      MutexLock lock(mutex_);
      while (text.busy) idle_.Wait(lock);
      text.Pad();
      taken = TakeWith(text);
    }
    Hash(taken);
    return text.Value();
  }

 private:
  struct Taken {
    std::vector<Text*> texts;
    std::vector<Md5Lane> lanes;
  };

  // The text and others that have a block waiting, as many as are hashed abreast.
  Taken TakeWith(Text& first) REQUIRES(mutex_) {
    Taken taken;
    const auto take = [&](Text* text) {
      text->busy = true;
      taken.texts.push_back(text);
      taken.lanes.push_back(text->Take());
    };
    take(&first);
    for (Text* const text : texts_) {
      if (taken.texts.size() >= Md5Width()) break;
      if (!text->busy && text->waiting.size() >= kMd5Block) take(text);
    }
    return taken;
  }

  void Hash(Taken& taken) EXCLUDES(mutex_) {
    AddMd5Blocks(taken.lanes);
    const MutexLock lock(mutex_);
    for (Text* const text : taken.texts) {
      text->Taken();
      text->busy = false;
    }
    idle_.NotifyAll();
  }

  Mutex mutex_;
  CondVar idle_;
  std::vector<Text*> texts_ GUARDED_BY(mutex_);
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

void SharedMd5::Add(std::string_view bytes) {
  if (!text_) {
    text_ = std::make_unique<Text>();
    Choir::All().Join(text_.get());
  }
  Choir::All().Add(*text_, bytes);
}

std::string SharedMd5::Finish() {
  if (!text_) Add({});
  return Choir::All().Finish(*text_);
}

}  // namespace muster::s3
