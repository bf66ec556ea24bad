#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "objects/folder.h"
#include "objects/run_writer.h"

namespace muster::objects {

// A file that nobody sees yet, in the store's own folder; gone unless it was moved to its place. It
// has no name where the file system knows such files: the sync of a file whose name is new writes
// the folder of that name too on ext4 without a journal, in vain.
class TempFile {
 public:
  // `direct` and `length` as RunWriter takes them.
  static Result<TempFile> Make(std::shared_ptr<const Folder> folder, DirectWrites* direct,
                               std::optional<int64_t> length = {});
  // One that exists already and is not removed, in a folder that outlives it.
  static TempFile Adopt(const Folder& folder, os::Fd fd, std::string name);
  TempFile(TempFile&&) noexcept = default;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  // Behind what was written. A piece may be written later: settled by the commit of the file.
  Status Write(std::string_view bytes) { return writer_.Write(fd_.get(), bytes); }
  Status Write(const s3::SharedPiece& piece) { return writer_.Write(fd_.get(), piece); }
  const std::shared_ptr<DirectWrites::File>& pending() const { return writer_.pending(); }
  int fd() const { return fd_.get(); }
  int64_t size() const { return writer_.at(); }
  const std::string& name() const { return name_; }  // in its folder; empty: none there
  os::Fd Duplicate() const;
  // Gives it this name, over a file that has it. Zero, or -1 and errno; EISDIR of a folder.
  int MoveTo(int folder, const std::string& leaf);

 private:
  TempFile(std::shared_ptr<const Folder> folder, os::Fd fd, std::string name, DirectWrites* direct,
           std::optional<int64_t> length)
      : folder_(std::move(folder)),
        fd_(std::move(fd)),
        name_(std::move(name)),
        writer_(direct, length) {}

  int MakeName();

  std::shared_ptr<const Folder> folder_;
  os::Fd fd_;
  std::string name_;
  RunWriter writer_;
  bool adopted_ = false;
};

}  // namespace muster::objects
