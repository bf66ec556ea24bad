#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/thread_annotations.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::transfer {

// What a copy that is not through has done, on disk, so that the same copy goes on where it was
// killed. Lines "<crc32c, 8 hex> <JSON>\n"; a line that is torn or damaged is not there. Those of
// objects that are through wait a moment for others: a kill may cost a few small files again. They
// are not synced: after a power cut a part that is told here may be missing in a local
// file, which the checksum of the whole finds. Any thread.
class Record {
 public:
  // A part that is through: what the other end called it, and the digest of its bytes.
  struct DonePart {
    std::string etag;
    std::string digest;  // hex
  };
  struct Begun {
    std::string identity;  // of the source
    std::string upload;    // a multipart upload's id, or the name of a temporary file
    bool with_crc = false;
    int64_t part_size = 0;
    std::map<int, DonePart> parts = {};

    // Whether a copy of this source, cut like this, may go on with it.
    bool Fits(const std::string& source, int64_t size) const {
      return identity == source && part_size == size && !upload.empty();
    }
  };

  // The record of the copy that `identity` describes; kConflict while another copier has it. Those
  // that nobody touched for a week are removed on the way.
  static Result<std::unique_ptr<Record>> Open(const os::Path& folder, std::string_view identity);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // An object that was begun and is not through.
  std::optional<Begun> Find(const std::string& object) const EXCLUDES(mutex_);
  // Whether an earlier run of this copy brought it over whole.
  bool WasDone(const std::string& object, const std::string& identity) const EXCLUDES(mutex_);
  bool HasDone() const EXCLUDES(mutex_);

  // Failing to write makes a copy that cannot go on later, not a copy that fails.
  void Begin(const std::string& object, const Begun& begun) EXCLUDES(mutex_);
  void AddPart(const std::string& object, int number, const DonePart& part) EXCLUDES(mutex_);
  void Forget(const std::string& object) EXCLUDES(mutex_);
  void Done(const std::string& object, const std::string& identity) EXCLUDES(mutex_);

  void Remove() EXCLUDES(mutex_);  // everything is through

 private:
  Record(os::Path path, os::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void Load(std::string_view text) REQUIRES(mutex_);
  void Take(std::string_view json) REQUIRES(mutex_);
  void Write(const std::string& json) REQUIRES(mutex_);
  void Add(const std::string& json) REQUIRES(mutex_);  // with the next that is written
  void Flush() REQUIRES(mutex_);

  const os::Path path_;
  const os::Fd fd_;
  mutable Mutex mutex_;
  std::map<std::string, Begun> begun_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> done_ GUARDED_BY(mutex_);  // object to identity
  std::string waiting_ GUARDED_BY(mutex_);                      // lines
  int64_t flushed_ms_ GUARDED_BY(mutex_) = 0;                   // steady
};

}  // namespace muster::transfer
