#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "objects/folder.h"
#include "objects/write_behind.h"

namespace muster::objects {

// A file that nobody sees yet, in the store's own folder; removed unless it was moved to its place.
class TempFile {
 public:
  // `will_sync`: it will be, before it counts.
  static Result<TempFile> Make(std::shared_ptr<const Folder> folder, bool will_sync);
  // One that exists already and is not removed, in a folder that outlives it.
  static TempFile Adopt(const Folder& folder, os::Fd fd, std::string name);
  TempFile(TempFile&&) noexcept = default;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  Status Write(std::string_view bytes);  // behind what was written
  int fd() const { return fd_.get(); }
  const Folder& folder() const { return *folder_; }
  const std::string& name() const { return name_; }
  int64_t size() const { return size_; }
  os::Fd Duplicate() const;
  void Placed() { name_.clear(); }  // it has another name now

 private:
  TempFile(std::shared_ptr<const Folder> folder, os::Fd fd, std::string name, bool will_sync)
      : folder_(std::move(folder)),
        fd_(std::move(fd)),
        name_(std::move(name)),
        behind_(will_sync) {}

  std::shared_ptr<const Folder> folder_;
  os::Fd fd_;
  std::string name_;
  int64_t size_ = 0;
  WriteBehind behind_;
  bool adopted_ = false;
};

}  // namespace muster::objects
