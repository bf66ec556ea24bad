#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "objects/folder.h"
#include "objects/run_writer.h"

namespace muster::objects {

// An invisible file in the store's own folder; removed unless it is moved to a key. Unnamed
// (O_TMPFILE) if possible: on ext4 without a journal the sync of a newly named file needlessly
// writes its folder as well.
class TempFile {
 public:
  // `direct` and `length` as for RunWriter.
  static Result<TempFile> Make(std::shared_ptr<const Folder> folder, DirectWrites* direct,
                               std::optional<int64_t> length = {});
  // An existing file, which is not removed, in a folder that outlives it.
  static TempFile Adopt(const Folder& folder, os::Fd fd, std::string name);
  TempFile(TempFile&&) noexcept = default;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  // Appends. A piece may be written later; the commit of the file waits for it.
  Status Write(std::string_view bytes) { return writer_.Write(fd_.get(), bytes); }
  Status Write(const s3::SharedPiece& piece) { return writer_.Write(fd_.get(), piece); }
  const std::shared_ptr<DirectWrites::File>& pending() const { return writer_.pending(); }
  int fd() const { return fd_.get(); }
  int64_t size() const { return writer_.at(); }
  const std::string& name() const { return name_; }  // in its folder; empty if it has none
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
