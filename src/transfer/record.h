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

// The journal of an unfinished copy, with which the same copy resumes after a kill. Lines are
// "<crc32c, 8 hex> <JSON>\n"; a torn or damaged line is ignored. Lines about finished objects are
// buffered briefly, so a kill may repeat a few small files. Lines are not synced: after a power cut
// a recorded part may be missing in a local file, which the checksum of the whole file detects. Any
// thread.
class Record {
 public:
  // A finished part: its name at the other end, and the digest of its bytes.
  struct DonePart {
    std::string etag;
    std::string digest;  // hex
  };
  struct Begun {
    std::string identity;  // of the source
    std::string upload;    // id of a multipart upload, or name of a temporary file
    bool with_crc = false;
    int64_t part_size = 0;
    std::map<int, DonePart> parts = {};

    // Whether a copy of this source with these parts can resume from it.
    bool Fits(const std::string& source, int64_t size) const {
      return identity == source && part_size == size && !upload.empty();
    }
  };

  // Opens the journal of the copy with this identity. kConflict while another process runs the same
  // copy. Removes journals that are older than a week.
  static Result<std::unique_ptr<Record>> Open(const os::Path& folder, std::string_view identity);
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // The state of an object that was started and is not finished.
  std::optional<Begun> Find(const std::string& object) const EXCLUDES(mutex_);
  // Whether an earlier run of this copy completed the object.
  bool WasDone(const std::string& object, const std::string& identity) const EXCLUDES(mutex_);
  bool HasDone() const EXCLUDES(mutex_);

  // A write error disables the resume; it does not fail the copy.
  void Begin(const std::string& object, const Begun& begun) EXCLUDES(mutex_);
  void AddPart(const std::string& object, int number, const DonePart& part) EXCLUDES(mutex_);
  void Forget(const std::string& object) EXCLUDES(mutex_);
  void Done(const std::string& object, const std::string& identity) EXCLUDES(mutex_);

  void Remove() EXCLUDES(mutex_);  // the copy is complete

 private:
  Record(os::Path path, os::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}
  void Load(std::string_view text) REQUIRES(mutex_);
  void Take(std::string_view json) REQUIRES(mutex_);
  void Write(const std::string& json) REQUIRES(mutex_);
  void Add(const std::string& json) REQUIRES(mutex_);  // written together with the next line
  void Flush() REQUIRES(mutex_);

  const os::Path path_;
  const os::Fd fd_;
  mutable Mutex mutex_;
  std::map<std::string, Begun> begun_ GUARDED_BY(mutex_);
  std::map<std::string, std::string> done_ GUARDED_BY(mutex_);  // object to identity
  std::string waiting_ GUARDED_BY(mutex_);                      // buffered lines
  int64_t flushed_ms_ GUARDED_BY(mutex_) = 0;                   // steady time
};

}  // namespace muster::transfer
