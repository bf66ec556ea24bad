#include "objects/upload.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/text.h"
#include "objects/file_copy.h"

namespace muster::objects {
namespace {

constexpr const char* kData = "data";
constexpr const char* kLog = "parts";
constexpr int64_t kLargestLog = 64 << 20;

int64_t NowMs() { return SystemClock().WallMs(); }

Result<std::string> ReadAll(const Folder& folder, const char* name) {
  MUSTER_ASSIGN(const os::Fd fd, folder.Open(name, O_RDONLY));
  std::string text;
  std::string buffer(64 << 10, 0);
  while (std::cmp_less(text.size(), kLargestLog)) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0) return FailErrno(errno, "read the log of an upload");
    if (count == 0) break;
    text.append(buffer, 0, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace

PartWriter::PartWriter(std::shared_ptr<Upload> upload, int number, os::Fd file, std::string name,
                       int64_t offset, std::optional<int64_t> length)
    : upload_(std::move(upload)),
      number_(number),
      file_(std::move(file)),
      name_(std::move(name)),
      offset_(offset),
      writer_(upload_->store_.direct(), length, offset) {}

PartWriter::~PartWriter() {
  if (finished_) return;
  // The next one who writes at this place must be the last one.
  if (writer_.pending()) writer_.pending()->Abandon();
  upload_->Release(number_, name_);
}

void PartWriter::Finish(const BodySums& sums, std::function<void(S3Result<Part>)> done) {
  const Part part{number_, sums.size, NowMs(), sums.md5, name_, sums.checksum};
  finished_ = true;
  CommitQueue::Commit commit;
  if (writer_.pending()) {
    commit.prepare = [pending = writer_.pending()]() -> S3Result<std::vector<os::Fd>> {
      MUSTER_TRY(pending->Settle());
      return {};
    };
  }
  commit.files.push_back(std::move(file_));
  commit.publish = [upload = upload_, part] { return upload->Record(part); };
  commit.done = [upload = upload_, part, done = std::move(done)](S3Status status) {
    if (!status) upload->Release(part.number, part.file);
    done(status ? S3Result<Part>(part) : std::unexpected(std::move(status).error()));
  };
  upload_->store_.commits().Submit(std::move(commit));
}

Upload::Upload(ObjectStore& store, UploadStart start, Folder folder)
    : store_(store),
      start_(std::move(start)),
      folder_(std::move(folder)),
      last_change_ms_(start_.created_ms) {}

Status Upload::Load() {
  const auto text = ReadAll(folder_, kLog);
  if (!text && text.error().code == Code::kNotFound) return {};
  if (!text) return std::unexpected(text.error());
  const MutexLock lock(mutex_);
  for (const std::string& line : Split(*text, '\n')) {
    if (const auto size = ReadPlaceLine(line)) place_size_ = *size;
    const auto part = ReadPartLine(line);
    if (!part) continue;
    last_change_ms_ = std::max(last_change_ms_, part->mtime_ms);
    parts_[part->number] = *part;
  }
  // Nobody could tell where they begin.
  if (place_size_ <= 0)
    std::erase_if(parts_, [](const auto& row) { return row.second.file.empty(); });
  return {};
}

std::vector<Part> Upload::Parts() const {
  const MutexLock lock(mutex_);
  std::vector<Part> parts;
  for (const auto& [number, part] : parts_) parts.push_back(part);
  return parts;
}

int64_t Upload::last_change_ms() const {
  const MutexLock lock(mutex_);
  return last_change_ms_;
}

S3Result<os::Fd> Upload::OpenData() const {
  MUSTER_ASSIGN(os::Fd fd, folder_.Open(kData, O_RDWR | O_CREAT, 0644));
  return fd;
}

S3Result<std::shared_ptr<PartWriter>> Upload::Begin(int number, std::optional<int64_t> length) {
  if (number < 1 || number > kMostParts) {
    return Refuse(S3Code::kInvalidArgument, "partNumber must be from 1 to 10000.");
  }
  const MutexLock lock(mutex_);
  if (closed_) return Refuse(S3Code::kNoSuchUpload);
  // The first part of a length that others may have too says how far places are apart.
  if (place_size_ == 0 && length && (number == 1 || *length >= kSmallestPart) && *length > 0) {
    MUSTER_ASSIGN(const os::Fd log, folder_.Open(kLog, O_WRONLY | O_CREAT | O_APPEND, 0600));
    MUSTER_TRY(os::WriteAll(log.get(), WritePlaceLine(*length)));
    place_size_ = *length;
  }
  // A place that holds or receives a part is not touched: it may be the one that counts.
  const bool fits = place_size_ > 0 && length && *length <= place_size_ &&
                    !parts_.contains(number) && !busy_.contains(number);
  if (fits) {
    MUSTER_ASSIGN(os::Fd data, OpenData());
    busy_.insert(number);
    return std::make_shared<PartWriter>(shared_from_this(), number, std::move(data), "",
                                        PlaceOf(number), length);
  }
  std::string name = "part-" + os::RandomHex(12);
  MUSTER_ASSIGN(os::Fd file, folder_.Open(name, O_RDWR | O_CREAT | O_EXCL, 0644));
  return std::make_shared<PartWriter>(shared_from_this(), number, std::move(file), std::move(name),
                                      0, length);
}

void Upload::Release(int number, const std::string& file) {
  const MutexLock lock(mutex_);
  if (file.empty()) {
    busy_.erase(number);
  } else {
    ::unlinkat(folder_.fd(), file.c_str(), 0);
  }
}

S3Result<std::vector<os::Fd>> Upload::Record(const Part& part) {
  const MutexLock lock(mutex_);
  if (closed_) return Refuse(S3Code::kNoSuchUpload);
  MUSTER_ASSIGN(os::Fd log, folder_.Open(kLog, O_WRONLY | O_CREAT | O_APPEND, 0600));
  MUSTER_TRY(os::WriteAll(log.get(), WritePartLine(part)));
  if (part.file.empty()) busy_.erase(part.number);
  Part& current = parts_[part.number];
  if (!current.file.empty()) ::unlinkat(folder_.fd(), current.file.c_str(), 0);
  current = part;
  last_change_ms_ = std::max(last_change_ms_, part.mtime_ms);
  std::vector<os::Fd> synced;
  synced.push_back(std::move(log));
  synced.emplace_back(::fcntl(folder_.fd(), F_DUPFD_CLOEXEC, 0));
  return synced;
}

bool Upload::Close() {
  const MutexLock lock(mutex_);
  return !std::exchange(closed_, true);
}

void Upload::Reopen() {
  const MutexLock lock(mutex_);
  closed_ = false;
}

S3Result<std::string> Upload::DigestOfPart(const Part& part, s3::DigestKind kind) const {
  const bool own = !part.file.empty();
  MUSTER_ASSIGN(const os::Fd file, folder_.Open(own ? part.file.c_str() : kData, O_RDONLY));
  int64_t offset = 0;
  if (!own) {
    const MutexLock lock(mutex_);
    offset = PlaceOf(part.number);
  }
  MUSTER_ASSIGN(std::string raw, DigestOfBytes(file.get(), offset, part.size, kind));
  return raw;
}

S3Result<TempFile> Upload::Assemble(const std::vector<Part>& parts) {
  MUSTER_ASSIGN(os::Fd data, OpenData());
  const MutexLock lock(mutex_);
  int64_t total = 0;
  bool in_place = true;
  for (const Part& part : parts) {
    in_place = in_place && PlaceOf(part.number) == total && part.size <= place_size_;
    total += part.size;
  }
  // Parts that are not wanted now stay whole, should this come to nothing.
  for (const auto& [number, part] : parts_) {
    const bool beyond = part.file.empty() && PlaceOf(number) >= total;
    in_place = in_place && !beyond;
  }
  if (in_place && place_size_ > 0 && busy_.empty()) {
    for (const Part& part : parts) {
      if (part.file.empty()) continue;
      MUSTER_ASSIGN(const os::Fd own, folder_.Open(part.file, O_RDONLY));
      MUSTER_TRY(CopyBytes(own.get(), 0, data.get(), PlaceOf(part.number), part.size));
    }
    if (::ftruncate(data.get(), total) != 0) {
      return std::unexpected(S3Error(FailErrno(errno, "cut an object to its length").error()));
    }
    return TempFile::Adopt(folder_, std::move(data), kData);
  }
  MUSTER_ASSIGN(TempFile whole, store_.NewFile());
  int64_t offset = 0;
  for (const Part& part : parts) {
    if (part.file.empty()) {
      MUSTER_TRY(CopyBytes(data.get(), PlaceOf(part.number), whole.fd(), offset, part.size));
    } else {
      MUSTER_ASSIGN(const os::Fd own, folder_.Open(part.file, O_RDONLY));
      MUSTER_TRY(CopyBytes(own.get(), 0, whole.fd(), offset, part.size));
    }
    offset += part.size;
  }
  return whole;
}

}  // namespace muster::objects
