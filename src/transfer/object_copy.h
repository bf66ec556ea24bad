#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transfer/item.h"
#include "transfer/local_tree.h"
#include "transfer/plan.h"
#include "transfer/worker.h"

namespace muster::transfer {

// How one object gets to its destination. In this order, each on some worker: Begin once; Move for
// each part that is left, in any order and at the same time; then Finish once, when all have moved.
// Nothing is visible at the destination before Finish, and nothing half ever.
class ObjectCopy {
 public:
  struct Work {
    PartPlan plan;
    std::vector<int> left;  // numbers of parts; fewer than the plan's where a copy goes on
  };

  virtual ~ObjectCopy() = default;
  virtual Outcome<Work> Begin(Worker& worker) = 0;
  virtual Outcome<void> Move(Worker& worker, const Part& part) = 0;
  virtual Outcome<Check> Finish(Worker& worker) = 0;
  // Copies of the same kind and store can be finished by one request: where it is not empty, copies
  // with the same text are handed to FinishTogether of any of them. One outcome for all.
  virtual std::string group() const { return {}; }
  virtual Outcome<Check> FinishTogether(Worker& /*worker*/, std::span<ObjectCopy* const> /*all*/) {
    return std::unexpected(Trouble());
  }
  // Instead of Finish, when nothing of what was done is of use: the source changed, or the upload
  // is gone.
  virtual void Abandon(Worker& /*worker*/) {}
  // Whether what was done before a failure is of use to the same copy later.
  virtual bool GoesOnLater() const { return false; }
};

// Where an item goes: a location, and for a file its place in a tree.
struct Target {
  Location at;
  LocalTree::Place place = {};  // for files
  std::string key = {};         // what the record calls it
};

// Each for its pair of ends. The item is copied; an ObjectCopy outlives nothing.
std::unique_ptr<ObjectCopy> MakeUpload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeNearUpload(Session& session, std::shared_ptr<NearStore> near,
                                           Item item, Target target);
std::unique_ptr<ObjectCopy> MakeArchiveUpload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeDownload(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakeServerCopy(Session& session, Item item, Target target);
std::unique_ptr<ObjectCopy> MakePutAddress(Session& session, Item item, Target target);

// The one that fits both ends.
Result<std::unique_ptr<ObjectCopy>> MakeObjectCopy(Session& session, const Item& item,
                                                   const Target& target);

// What goes with others in an archive: they are in memory together.
constexpr int64_t kLargestInArchive = 32 << 10;

// A file that is read: open, regular, and what tells that it stayed the same.
struct OpenedFile {
  os::Fd fd;
  int64_t size = 0;
  std::string identity;
};
Result<OpenedFile> OpenSource(const os::Path& path);
std::string FileIdentity(int fd);  // empty when it cannot be looked at

// Takes bytes of an object or an address into a file, from its beginning, and what was told of
// them. A whole one (range.length < 0) is proven; `check` is how.
struct Spooled {
  http::FileRange file;
  Check check = Check::kLength;
  http::Headers kept;  // what goes with the object
};
Outcome<Spooled> FetchToFile(Worker& worker, const Item& item, const GetRange& range, int fd);

}  // namespace muster::transfer
