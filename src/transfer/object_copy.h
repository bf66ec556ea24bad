#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transfer/item.h"
#include "transfer/local_tree.h"
#include "transfer/plan.h"
#include "transfer/worker.h"

namespace muster::transfer {

// The copy of one object. The engine calls, each on some worker: Begin once; Move for each
// remaining part, in any order and concurrently; then Finish once after all parts. The object is
// not visible at the destination before Finish, and never partially.
class ObjectCopy {
 public:
  struct Work {
    PartPlan plan;
    // Numbers of the remaining parts; a resumed copy has fewer than the plan.
    std::vector<int> left;
  };

  virtual ~ObjectCopy() = default;
  virtual Outcome<Work> Begin(Worker& worker) = 0;
  virtual Outcome<void> Move(Worker& worker, const Part& part) = 0;
  virtual Outcome<Check> Finish(Worker& worker) = 0;
  // Copies to the same store can share the finishing request: all copies with the same non-empty
  // group are passed to FinishTogether of one of them. They share one outcome.
  virtual std::string group() const { return {}; }
  virtual Outcome<Check> FinishTogether(Worker& /*worker*/, std::span<ObjectCopy* const> /*all*/) {
    return std::unexpected(Trouble());
  }
  // Called instead of Finish if the work is useless: the source changed, or the upload no longer
  // exists.
  virtual void Abandon(Worker& /*worker*/) {}
  // Whether a later run of the same copy can use the work done before a failure.
  virtual bool GoesOnLater() const { return false; }
};

// The destination of an item: a location, and for a file its place in a tree.
struct Target {
  Location at;
  LocalTree::Place place = {};  // for files
  std::string key = {};         // its key in the journal
};

// One function per pair of ends. The copy owns the item.
std::unique_ptr<ObjectCopy> MakeUpload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeNearUpload(Session& session, std::shared_ptr<NearStore> near,
                                           Item item, Target target);
std::unique_ptr<ObjectCopy> MakeArchiveUpload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeDownload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeServerCopy(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakePutAddress(Session& session, Item item, Target target);

// Selects the function for both ends.
Result<std::unique_ptr<ObjectCopy>> MakeObjectCopy(Session& session, const Item& item,
                                                   const Target& target);

// Objects up to this size are sent in archives, which are assembled in memory.
constexpr int64_t kLargestInArchive = 32 << 10;

// An open, regular source file, and the identity that detects changes.
struct OpenedFile {
  os::Fd fd;
  int64_t size = 0;
  std::string identity;
};
Result<OpenedFile> OpenSource(const os::Path& path);
std::string FileIdentity(int fd);  // empty if fstat fails

// Writes the bytes of an object or URL to a file, starting at offset 0, with their metadata. A
// complete fetch (range.length < 0) is verified; `check` says how.
struct Spooled {
  http::FileRange file;
  Check check = Check::kLength;
  http::Headers kept;  // what goes with the object
};
Outcome<Spooled> FetchToFile(Worker& worker, const Item& item, const GetRange& range, int fd);

}  // namespace muster::transfer
