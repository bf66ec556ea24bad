#include "objects/commit_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <iterator>
#include <set>

namespace muster::objects {
namespace {

S3Status Synced(int result) {
  if (result == 0) return {};
  return std::unexpected(S3Error(FailErrno(errno, "sync an object to disk").error()));
}

S3Status SyncOne(int fd) { return Synced(::fsync(fd)); }

// Writes the data blocks only; afterwards the journal contains the length of the file.
S3Status WriteOut(int fd) {
  return Synced(::sync_file_range(
      fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
}

struct Member {
  CommitQueue::Commit commit;
  S3Status status;
  std::vector<os::Fd> folders;
};

S3Status Prepare(CommitQueue::Commit& commit) {
  if (!commit.prepare) return {};
  MUSTER_ASSIGN(std::vector<os::Fd> more, commit.prepare());
  std::ranges::move(more, std::back_inserter(commit.files));
  return {};
}

void SyncFiles(std::vector<Member>& group, bool by_journal) {
  // Start writing all files before waiting for the first.
  if (group.size() > 1) {
    for (const Member& member : group) {
      for (const os::Fd& file : member.commit.files) {
        (void)::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
      }
    }
  }
  for (Member& member : group) {
    const bool later = by_journal && member.commit.renames;
    for (const os::Fd& file : member.commit.files) {
      if (member.status) member.status = later ? WriteOut(file.get()) : SyncOne(file.get());
    }
    member.commit.files.clear();
  }
}

void Publish(std::vector<Member>& group) {
  for (Member& member : group) {
    if (!member.status) continue;
    auto folders = member.commit.publish();
    if (folders) {
      member.folders = std::move(*folders);
    } else {
      member.status = std::unexpected(std::move(folders).error());
    }
  }
}

// Syncs each folder once, however many members of the group are in it.
void SyncFolders(std::vector<Member>& group) {
  std::set<std::pair<dev_t, ino_t>> synced;
  for (Member& member : group) {
    for (const os::Fd& folder : member.folders) {
      struct stat info{};
      const bool known = ::fstat(folder.get(), &info) == 0;
      if (known && synced.contains({info.st_dev, info.st_ino})) continue;
      const S3Status status = SyncOne(folder.get());
      if (status && known) synced.emplace(info.st_dev, info.st_ino);
      if (!status && member.status) member.status = status;
    }
  }
}

}  // namespace

CommitQueue::CommitQueue(Sync sync, int threads) : sync_(sync) {
  for (int i = 0; syncs() && i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

CommitQueue::~CommitQueue() { Drain(); }

void CommitQueue::Drain() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  threads_.clear();
}

void CommitQueue::Submit(Commit commit) {
  if (!syncs()) {
    if (auto prepared = Prepare(commit); !prepared) return commit.done(std::move(prepared));
    commit.files.clear();
    const auto published = commit.publish();
    commit.done(published ? S3Status() : S3Status(std::unexpected(published.error())));
    return;
  }
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(commit));
  }
  wake_.NotifyOne();
}

S3Status CommitQueue::Run(std::vector<os::Fd> files,
                          std::function<S3Result<std::vector<os::Fd>>()> publish) {
  std::promise<S3Status> promise;
  auto future = promise.get_future();
  Commit commit;
  commit.files = std::move(files);
  commit.publish = std::move(publish);
  commit.done = [&](S3Status status) { promise.set_value(std::move(status)); };
  Submit(std::move(commit));
  return future.get();
}

void CommitQueue::Work() {
  while (true) {
    std::vector<Member> group;
    {
      MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_) wake_.Wait(lock);
      if (waiting_.empty()) return;
      for (Commit& commit : waiting_) group.push_back({std::move(commit), {}, {}});
      waiting_.clear();
    }
    for (Member& member : group) member.status = Prepare(member.commit);
    SyncFiles(group, sync_ == Sync::kByJournal);
    Publish(group);
    SyncFolders(group);
    for (Member& member : group) member.commit.done(std::move(member.status));
  }
}

}  // namespace muster::objects
