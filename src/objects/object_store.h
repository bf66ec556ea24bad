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

// An object and its open file, which stays unchanged if the key is replaced meanwhile.
struct Object {
  os::Fd file;
  ObjectMeta meta;
};

// A file that will become an object.
struct NewObject {
  std::string key;
  TempFile file;
  ObjectMeta meta;
};

struct Removal {
  std::string key;
  RemoveCondition condition = {};
};

// Buckets of objects as plain files: ROOT/BUCKET/KEY, usable with ls, cat and cp. The store's own
// files are in ROOT/.muster. Independent of requests. Any thread.
class ObjectStore {
 public:
  // `sync` false: writes survive a killed server but not necessarily a power cut.
  static Result<std::unique_ptr<ObjectStore>> Open(const os::Path& root, bool sync);

  S3Result<std::vector<BucketInfo>> Buckets() const;
  S3Result<bool> MakeBucket(const std::string& name);  // false if it existed
  S3Status RemoveBucket(const std::string& name) EXCLUDES(places_);
  S3Result<Folder> OpenBucket(const std::string& name) const;

  S3Result<Object> Find(const std::string& bucket, const std::string& key) const;
  S3Result<TempFile> NewFile(std::optional<int64_t> length = {}) const;  // if known

  using PutDone = std::function<void(S3Result<ObjectMeta>)>;
  // Makes `file` the object; `done` is called when it is durable, on any thread.
  void Put(const std::string& bucket, const std::string& key, TempFile file, ObjectMeta meta,
           WriteCondition condition, PutDone done) EXCLUDES(places_);
  // As Put for many objects, without conditions; after an error some of them may exist, each
  // complete.
  using PutAllDone = std::function<void(S3Status)>;
  void PutAll(const std::string& bucket, std::vector<NewObject> objects, PutAllDone done)
      EXCLUDES(places_);
  // Removes keys; missing keys are not an error unless a condition requires them. One status per
  // key.
  using RemoveDone = std::function<void(std::vector<S3Status>)>;
  void Remove(const std::string& bucket, std::vector<Removal> removals, RemoveDone done)
      EXCLUDES(places_);
  // Replaces the metadata of an object.
  S3Status Describe(const std::string& bucket, const std::string& key,
                    const std::function<S3Status(ObjectMeta&)>& change) EXCLUDES(places_);

  // Appends `piece` to the object, or creates the object with `meta`. Returns the new metadata.
  S3Result<ObjectMeta> Append(const std::string& bucket, const std::string& key, int64_t position,
                              TempFile piece, const std::string& piece_md5, ObjectMeta meta)
      EXCLUDES(appends_, places_);

  S3Result<ListPage> List(const std::string& bucket, const ListQuery& query);

  // A text that changes if anything below the prefix changes: keys, bytes or metadata, also
  // manually. Reads the stat of every file and opens none.
  S3Result<std::string> Stamp(const std::string& bucket, const std::string& prefix);

  // Small files of the store itself: .muster/SUB/NAME.
  S3Result<Folder> OwnFolder(const std::string& sub) const;
  MetaFiles& meta() { return meta_; }
  CommitQueue& commits() { return commits_; }
  DirectWrites* direct() const { return direct_.get(); }  // null without sync

 private:
  ObjectStore(Folder root, Folder own, std::unique_ptr<TempFolders> temporary, MetaFiles meta,
              bool sync);
  // Completes the object except for its move, and returns the files to sync.
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
  Mutex appends_;  // held while one object is appended to
  Mutex places_;   // held while files are placed and removed
  const std::unique_ptr<DirectWrites> direct_;
  CommitQueue commits_;  // the last member: destroyed first
};

}  // namespace muster::objects
