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

// When an object that the destination has already is left alone.
enum class Skip {
  kNever,
  kUnchanged,  // the same size, and not older than the source
  kSameSize,
  kSameBytes,  // the same size and checksum, where both ends can tell; otherwise as kUnchanged
};

struct CopyOptions {
  bool recursive = false;
  Filter filter = {};
  Skip skip = Skip::kNever;
  bool delete_extra = false;    // remove at the destination what the source does not have
  bool delete_all_too = false;  // even when that is everything
  bool dry_run = false;
  int workers = 16;
  int64_t bytes_per_second = 0;  // 0: no limit
  PartLimits parts = {};
  RetryLimits retry = {};
  // Read and write the files of a store that is on this machine and ours; send small files in
  // archives to a store that unpacks them.
  bool shortcut = true;
  // Where the record of an unfinished copy lies, by which the same copy goes on; empty: none.
  os::Path record_folder = {};
};

struct Failure {
  std::string source, destination;  // as people read them
  Error error;
};

// What was done, exactly.
struct Summary {
  int64_t copied = 0, skipped = 0, deleted = 0, failed = 0;
  int64_t done_before = 0;    // of the skipped: an earlier run of this copy had copied them
  int64_t gone_on_with = 0;   // of the copied: an earlier run had begun them
  int64_t bytes = 0;          // of copied objects, as far as this run moved them
  int64_t resumed_bytes = 0;  // of them what an earlier run had moved
  int64_t retries = 0;
  int64_t ms = 0;
  std::array<int64_t, 5> checked = {};  // copied objects by Check
  std::vector<Failure> failures = {};   // the first hundred
  int64_t passing = 0;                  // of all failures: their causes may pass by themselves
  std::vector<std::string> notes = {};  // links and special files that were passed over: a hundred
  int64_t more_notes = 0;
  bool interrupted = false;
};

// How far it is.
struct Tally {
  int64_t found = 0, found_bytes = 0;  // grows until `listed`
  bool listed = false;
  int64_t ended = 0;        // objects, whatever their end
  int64_t ended_bytes = 0;  // of objects and parts that are through
  int64_t moved_bytes = 0;  // over the wire or the disk, repeated ones included
};

struct Deed {
  enum class Kind { kCopied, kSkipped, kDeleted, kFailed, kWouldCopy, kWouldDelete };
  Kind kind = Kind::kCopied;
  std::string source, destination;
  int64_t size = 0;
};

// Hears of the copy. `Tick` and `GoOn` on the thread that called Copy, a few times a second; `Did`
// on any thread, one call at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void Tick(const Tally&) {}
  virtual void Did(const Deed&) {}
  virtual bool HearsOfEach() const { return true; }  // false: `Did` need not be called
  virtual bool GoOn() { return true; }  // false: end soon, keeping what can go on later
};

// Copies each source to the destination: one file or object, or with `recursive` all below it,
// under the same names. With several sources, or where the destination is a folder or ends with
// '/', it is what they are put into. Returns once everything is through; what failed is in the
// Summary. An Error is what kept the whole from being tried: a source that does not exist, a
// destination that cannot be, another copier at work on the same copy.
Result<Summary> Copy(std::span<const Location> sources, const Location& destination,
                     const CopyOptions& options, Stores& stores, Observer& observer);

}  // namespace muster::transfer
