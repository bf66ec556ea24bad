#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transfer/filter.h"
#include "transfer/item.h"
#include "transfer/plan.h"
#include "transfer/retry.h"
#include "transfer/stores.h"

namespace muster::transfer {

// When an object that already exists at the destination is skipped.
enum class Skip {
  kNever,
  kUnchanged,  // equal size, and not older than the source
  kSameSize,
  kSameBytes,  // equal size and checksum if both ends have one, otherwise as kUnchanged
};

struct CopyOptions {
  bool recursive = false;
  Filter filter = {};
  Skip skip = Skip::kNever;
  bool delete_extra = false;    // remove objects at the destination that the source does not have
  bool delete_all_too = false;  // even if that removes everything
  bool dry_run = false;
  int workers = 16;
  int64_t bytes_per_second = 0;  // 0 means no limit
  PartLimits parts = {};
  RetryLimits retry = {};
  // Access the files of Muster's own store on this machine directly, and send small files in
  // archives to a store that unpacks them.
  bool shortcut = true;
  // Folder of the journal of an unfinished copy, with which the same copy resumes; empty for no
  // journal.
  os::Path record_folder = {};
};

struct Failure {
  std::string source, destination;  // in printable form
  Error error;
};

// Exact counts of a copy.
struct Summary {
  int64_t copied = 0, skipped = 0, deleted = 0, failed = 0;
  int64_t done_before = 0;    // skipped objects that an earlier run of this copy had completed
  int64_t gone_on_with = 0;   // copied objects that an earlier run had started
  int64_t bytes = 0;          // bytes of copied objects that this run transferred
  int64_t resumed_bytes = 0;  // bytes of copied objects that an earlier run transferred
  int64_t retries = 0;
  int64_t ms = 0;
  std::array<int64_t, 5> checked = {};  // copied objects, by Check
  std::vector<Failure> failures = {};   // the first hundred failures
  int64_t passing = 0;                  // number of failures that may succeed on a retry
  std::vector<std::string> notes = {};  // skipped links and special files; at most a hundred
  int64_t more_notes = 0;
  bool interrupted = false;
};

// The progress of a copy.
struct Tally {
  int64_t found = 0, found_bytes = 0;  // increases until `listed`
  bool listed = false;
  int64_t ended = 0;        // finished objects, successful or not
  int64_t ended_bytes = 0;  // bytes of finished objects and parts
  int64_t moved_bytes = 0;  // bytes transferred, including retries
};

struct Deed {
  enum class Kind { kCopied, kSkipped, kDeleted, kFailed, kWouldCopy, kWouldDelete };
  Kind kind = Kind::kCopied;
  std::string source, destination;
  int64_t size = 0;
};

// Receives the events of a copy. Copy calls `Tick` and `GoOn` on its own thread a few times per
// second, and `Did` on any thread, one call at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void Tick(const Tally&) {}
  virtual void Did(const Deed&) {}
  virtual bool HearsOfEach() const { return true; }  // false if `Did` is not needed
  virtual bool GoOn() { return true; }  // false to stop soon and keep the state for a resume
};

// Copies each source to the destination: one file or object, or with `recursive` everything below
// it, under the same names. With several sources, or if the destination is a folder or ends with
// '/', the sources are copied into it. Returns when all objects are finished; failed objects are in
// the Summary. Returns an Error if the copy could not start: a missing source, an invalid
// destination, or another process that runs the same copy.
Result<Summary> Copy(std::span<const Location> sources, const Location& destination,
                     const CopyOptions& options, Stores& stores, Observer& observer);

}  // namespace muster::transfer
