#include "transfer/archive.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace muster::transfer {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kLongestName = 100, kLongestFolder = 155;

// A tar header has fields at fixed offsets; bytes that are not written are zero.
struct Field {
  size_t at, length;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kSum{148, 8}, kMagic{257, 8}, kFolder{345, 155};
constexpr size_t kType = 156;

class Head {
 public:
  void Put(const Field& field, std::string_view text) {
    std::ranges::copy(text.substr(0, field.length), bytes_.begin() + ptrdiff_t(field.at));
  }
  void PutOctal(const Field& field, int64_t number) {
    Put(field, fmt::format("{:0{}o}", number, field.length - 1));
  }
  void PutType(char type) { bytes_[kType] = type; }
  // The header checksum: the sum of all bytes, with the checksum field counted as blanks.
  std::string_view Seal() {
    Put(kSum, "        ");
    int64_t sum = 0;
    for (const char c : bytes_) sum += static_cast<unsigned char>(c);
    Put(kSum, fmt::format("{:06o}", sum));
    bytes_[kSum.at + 6] = '\0';
    return {bytes_.data(), bytes_.size()};
  }

 private:
  std::array<char, kBlock> bytes_ = {};
};

// The position at which a key is split into prefix and name so that both fit; npos if the key is
// stored as a name alone.
std::optional<size_t> Cut(std::string_view key) {
  if (key.size() <= kLongestName) return std::string_view::npos;
  const size_t slash = key.find('/', key.size() - kLongestName - 1);
  if (slash == key.npos || slash == 0 || slash > kLongestFolder) return std::nullopt;
  return slash;
}

bool IsPlain(std::string_view segment) {
  return !segment.empty() && segment != "." && segment != ".." &&
         std::ranges::all_of(segment, [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
}

}  // namespace

bool FitsArchive(std::string_view key) {
  if (!Cut(key)) return false;
  while (true) {
    const size_t slash = key.find('/');
    if (!IsPlain(key.substr(0, slash))) return false;
    if (slash == key.npos) return true;
    key.remove_prefix(slash + 1);
  }
}

void AddToArchive(std::string& archive, std::string_view key, std::string_view bytes,
                  int64_t mtime_s) {
  Head head;
  const size_t cut = Cut(key).value_or(key.npos);
  if (cut != key.npos) head.Put(kFolder, key.substr(0, cut));
  head.Put(kName, cut == key.npos ? key : key.substr(cut + 1));
  head.PutOctal(kMode, 0644);
  head.PutOctal(kOwner, 0);
  head.PutOctal(kGroup, 0);
  head.PutOctal(kSize, std::ssize(bytes));
  head.PutOctal(kTime, mtime_s);
  head.PutType('0');
  head.Put(kMagic, std::string_view("ustar\0"
                                    "00",
                                    8));
  archive += head.Seal();
  archive += bytes;
  archive.append(LengthInArchive(bytes.size()) - kBlock - bytes.size(), '\0');
}

void EndArchive(std::string& archive) { archive.append(kArchiveEnd, '\0'); }

size_t LengthInArchive(size_t bytes) { return kBlock + (bytes + kBlock - 1) / kBlock * kBlock; }

}  // namespace muster::transfer
