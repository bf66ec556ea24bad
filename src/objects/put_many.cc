// Many files that become objects in one commit.
#include <memory>

#include "objects/folder_set.h"
#include "objects/object_store.h"
#include "objects/placement.h"

namespace muster::objects {

S3Result<std::vector<os::Fd>> ObjectStore::PlaceAll(const std::string& bucket,
                                                    std::vector<NewObject>& objects) {
  const MutexLock lock(places_);
  MUSTER_ASSIGN(const Folder folder, OpenBucket(bucket));
  FolderSet changed;
  for (NewObject& object : objects) {
    if (meta_.in_use()) {
      if (const auto old = Find(bucket, object.key)) meta_.Forget(old->file.get());
    }
    MUSTER_ASSIGN(std::vector<os::Fd> folders, PlaceFile(object.file, folder, object.key));
    if (!commits_.syncs()) continue;
    for (os::Fd& one : folders) changed.Add(std::move(one));
  }
  return changed.Take();
}

void ObjectStore::PutAll(const std::string& bucket, std::vector<NewObject> objects,
                         PutAllDone done) {
  CommitQueue::Commit commit;
  for (NewObject& object : objects) {
    auto beside = meta_.Attach(object.file.fd(), object.meta);
    if (!beside) return done(std::unexpected(S3Error(beside.error())));
    for (os::Fd& one : *beside) commit.files.push_back(std::move(one));
    if (commits_.syncs()) commit.files.push_back(object.file.Duplicate());
  }
  const auto shared = std::make_shared<std::vector<NewObject>>(std::move(objects));
  commit.renames = true;
  commit.publish = [this, bucket, shared] { return PlaceAll(bucket, *shared); };
  commit.done = std::move(done);
  commits_.Submit(std::move(commit));
}

}  // namespace muster::objects
