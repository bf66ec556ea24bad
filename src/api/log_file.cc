#include "api/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

namespace muster::api {
namespace {

constexpr int64_t kBlock = 64 << 10;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The number of bytes of the character that begins with `lead`; 1 for invalid bytes.
size_t CharacterSize(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte >= 0xF0 && byte < 0xF5) return 4;
  if (byte >= 0xE0) return byte < 0xF0 ? 3 : 1;
  return byte >= 0xC2 ? 2 : 1;
}

size_t WholeCharacters(std::string_view bytes) {
  for (size_t back = 1; back <= std::min<size_t>(3, bytes.size()); ++back) {
    const char c = bytes[bytes.size() - back];
    if (IsContinuation(c)) continue;
    return CharacterSize(c) > back ? bytes.size() - back : bytes.size();
  }
  return bytes.size();
}

}  // namespace

Result<bool> LogFile::Open() {
  if (fd_) return true;
  Result<os::Fd> fd = os::Open(path_, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!fd && fd.error().code == Code::kNotFound) return false;
  if (!fd) return std::unexpected(std::move(fd).error());
  fd_ = *std::move(fd);
  return true;
}

Status LogFile::Read(int64_t offset, size_t limit, std::string& out) {
  out.clear();
  MUSTER_ASSIGN(const int64_t size, Size());
  if (offset >= size) return {};
  const size_t want = std::min(limit, size_t(size - offset));
  int error = 0;
  out.resize_and_overwrite(want, [&](char* data, size_t) {
    size_t have = 0;
    while (have < want) {
      const ssize_t got = ::pread(fd_.get(), data + have, want - have, offset + int64_t(have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error = errno;
      if (got <= 0) break;
      have += size_t(got);
    }
    return have;
  });
  if (error != 0 && out.empty()) return FailErrno(error, fmt::format("read {}", path_.string()));
  return {};
}

Result<int64_t> LogFile::Size() {
  MUSTER_ASSIGN(const bool there, Open());
  if (!there) return 0;
  struct stat info{};
  if (::fstat(fd_.get(), &info) != 0)
    return FailErrno(errno, fmt::format("stat {}", path_.string()));
  return int64_t(info.st_size);
}

Result<int64_t> LogFile::TailStart(int64_t lines, int64_t look_back) {
  MUSTER_ASSIGN(const int64_t size, Size());
  if (lines <= 0) return size;
  const int64_t floor = std::max<int64_t>(0, size - look_back);
  std::string block;
  for (int64_t end = size; end > floor;) {
    const int64_t begin = std::max(floor, end - kBlock);
    MUSTER_TRY(Read(begin, size_t(end - begin), block));
    for (size_t i = block.size(); i-- > 0;) {
      const bool last_byte = begin + int64_t(i) == size - 1;  // ends the last line
      if (block[i] == '\n' && !last_byte && --lines == 0) return begin + int64_t(i) + 1;
    }
    end = begin;
  }
  int64_t start = floor;
  if (floor > 0)
    for (size_t i = 0; i < std::min<size_t>(3, block.size()) && IsContinuation(block[i]); ++i)
      ++start;
  return start;
}

size_t CutText(std::string_view bytes) {
  const size_t end = bytes.find_last_of("\n\r");
  return end == bytes.npos ? WholeCharacters(bytes) : end + 1;
}

bool HasLineEnd(std::string_view bytes) { return bytes.find_first_of("\n\r") != bytes.npos; }

}  // namespace muster::api
