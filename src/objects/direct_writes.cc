#include "objects/direct_writes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

namespace muster::objects {
namespace {

constexpr size_t kMostUnderWay = 4 << 20;
// For smaller files the page cache needs less processor time.
constexpr size_t kSmallest = 128 << 10;

// Some file systems report only here that they do not support direct writes: use the page cache.
ssize_t WriteSome(int fd, int64_t offset, std::string_view bytes) {
  const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), offset);
  if (count >= 0 || errno != EINVAL) return count;
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags & ~O_DIRECT) != 0) return -1;
  return ::pwrite(fd, bytes.data(), bytes.size(), offset);
}

Status WriteAll(int fd, int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = WriteSome(fd, offset, bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno(errno, "write an object");
    bytes.remove_prefix(static_cast<size_t>(count));
    offset += count;
  }
  return {};
}

}  // namespace

Status DirectWrites::File::Begin() {
  const MutexLock lock(mutex_);
  if (status_) ++under_way_;
  return status_;
}

void DirectWrites::File::Do(int64_t offset, std::string_view bytes) {
  bool wanted = false;
  {
    const MutexLock lock(mutex_);
    wanted = !abandoned_ && status_.has_value();
  }
  const Status written = wanted ? WriteAll(fd_.get(), offset, bytes) : Status();
  const MutexLock lock(mutex_);
  if (status_) status_ = written;
  if (--under_way_ == 0) settled_.NotifyAll();
}

Status DirectWrites::File::Settle() {
  MutexLock lock(mutex_);
  while (under_way_ > 0) settled_.Wait(lock);
  return status_;
}

void DirectWrites::File::Abandon() {
  {
    const MutexLock lock(mutex_);
    abandoned_ = true;
  }
  (void)Settle();
}

DirectWrites::DirectWrites(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

DirectWrites::~DirectWrites() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  threads_.clear();
}

std::shared_ptr<DirectWrites::File> DirectWrites::Open(int fd) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  os::Fd direct(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
  return direct ? std::make_shared<File>(std::move(direct)) : nullptr;
}

bool DirectWrites::Fits(int64_t offset, const s3::Piece& piece) {
  return piece.size() >= kSmallest && piece.size() % s3::Piece::kPage == 0 &&
         offset % int64_t(s3::Piece::kPage) == 0;
}

Result<bool> DirectWrites::Write(const std::shared_ptr<File>& file, int64_t offset,
                                 s3::SharedPiece piece) {
  {
    const MutexLock lock(mutex_);
    if (under_way_ + piece->size() > kMostUnderWay) return false;
    MUSTER_TRY(file->Begin());
    under_way_ += piece->size();
    jobs_.push_back({file, offset, std::move(piece)});
  }
  wake_.NotifyOne();
  return true;
}

std::optional<DirectWrites::Job> DirectWrites::Next(size_t done) {
  MutexLock lock(mutex_);
  under_way_ -= done;
  while (jobs_.empty() && !stopping_) wake_.Wait(lock);
  if (jobs_.empty()) return std::nullopt;
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

void DirectWrites::Work() {
  size_t done = 0;
  while (const auto job = Next(done)) {
    done = job->piece->size();
    job->file->Do(job->offset, job->piece->bytes());
  }
}

}  // namespace muster::objects
