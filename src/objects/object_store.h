#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_annotations.h"
#include "objects/commit_queue.h"
#include "objects/conditions.h"
#include "objects/listing.h"
#include "objects/meta_files.h"
#include "objects/temp_file.h"
#include "objects/temp_folders.h"

namespace muster::objects {

struct BucketInfo {
  std::string name;
  int64_t created_ms = 0;
};

// An object and its open file, which stays whole whatever happens to the key meanwhile.
struct Object {
  os::Fd file;
  ObjectMeta meta;
};

// A file that is to become an object.
struct NewObject {
  std::string key;
  TempFile file;
  ObjectMeta meta;
};

struct Removal {
  std::string key;
  RemoveCondition condition = {};
};

// Buckets of objects as plain files: ROOT/BUCKET/KEY, readable with ls and cat, filled with cp.
// What the store needs for itself is in ROOT/.muster. Knows nothing of requests. Any thread.
class ObjectStore {
 public:
  // `sync` false: a write survives a killed server but perhaps not a power cut.
  static Result<std::unique_ptr<ObjectStore>> Open(const os::Path& root, bool sync);

  S3Result<std::vector<BucketInfo>> Buckets() const;
  S3Result<bool> MakeBucket(const std::string& name);  // false: it was there
  S3Status RemoveBucket(const std::string& name) EXCLUDES(places_);
  S3Result<Folder> OpenBucket(const std::string& name) const;

  S3Result<Object> Find(const std::string& bucket, const std::string& key) const;
  S3Result<TempFile> NewFile(std::optional<int64_t> length = {}) const;  // where it is known

  using PutDone = std::function<void(S3Result<ObjectMeta>)>;
  // Makes `file` the object; `done` comes when that will last, on any thread.
  void Put(const std::string& bucket, const std::string& key, TempFile file, ObjectMeta meta,
           WriteCondition condition, PutDone done) EXCLUDES(places_);
  // The same for many, without conditions; an error may leave some of them in place, each whole.
  using PutAllDone = std::function<void(S3Status)>;
  void PutAll(const std::string& bucket, std::vector<NewObject> objects, PutAllDone done)
      EXCLUDES(places_);
  // Removes keys; those that are not there are no error unless the condition says so. One status
  // for each.
  using RemoveDone = std::function<void(std::vector<S3Status>)>;
  void Remove(const std::string& bucket, std::vector<Removal> removals, RemoveDone done)
      EXCLUDES(places_);
  // Writes other metadata to an object that stays as it is.
  S3Status Describe(const std::string& bucket, const std::string& key,
                    const std::function<S3Status(ObjectMeta&)>& change) EXCLUDES(places_);

  // Adds `piece` behind the object's bytes, or makes it of the piece with `meta`. What it is now.
  S3Result<ObjectMeta> Append(const std::string& bucket, const std::string& key, int64_t position,
                              TempFile piece, const std::string& piece_md5, ObjectMeta meta)
      EXCLUDES(appends_, places_);

  S3Result<ListPage> List(const std::string& bucket, const ListQuery& query);

  // A text that is another one whenever anything below the prefix is: keys, bytes or metadata, also
  // by hand. Looks at every file, and opens none.
  S3Result<std::string> Stamp(const std::string& bucket, const std::string& prefix);

  // Small files of the store's own: .muster/SUB/NAME.
  S3Result<Folder> OwnFolder(const std::string& sub) const;
  MetaFiles& meta() { return meta_; }
  CommitQueue& commits() { return commits_; }
  DirectWrites* direct() const { return direct_.get(); }  // null where nothing is synced

 private:
  ObjectStore(Folder root, Folder own, std::unique_ptr<TempFolders> temporary, MetaFiles meta,
              bool sync);
  // What has to be synced for the object to be whole, but for its place.
  S3Result<std::vector<os::Fd>> Complete(NewObject& object);
  S3Result<std::vector<os::Fd>> Place(const std::string& bucket, const std::string& key,
                                      TempFile& file, const WriteCondition& condition)
      EXCLUDES(places_);

  S3Result<std::vector<os::Fd>> RemoveOne(const Folder& folder, const std::string& bucket,
                                          const Removal& removal) REQUIRES(places_);
  S3Result<std::vector<os::Fd>> PlaceAll(const std::string& bucket, std::vector<NewObject>& objects)
      EXCLUDES(places_);

  const Folder root_, own_;
  const std::unique_ptr<TempFolders> temporary_;
  MetaFiles meta_;
  EntryCache entries_;
  Mutex appends_;  // held while one object grows
  Mutex places_;   // held while files are put to places and taken away
  const std::unique_ptr<DirectWrites> direct_;
  CommitQueue commits_;  // last, so that it ends first
};

}  // namespace muster::objects
