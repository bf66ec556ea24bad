#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::api {

// A file that another process appends to, read by position. A file that is not there (not begun, or
// removed) reads as empty; it is opened when there is something to read.
class LogFile {
 public:
  LogFile() = default;
  explicit LogFile(os::Path path) : path_(std::move(path)) {}

  // Puts the bytes at [offset, offset + limit) into `out`, fewer at the end.
  Status Read(int64_t offset, size_t limit, std::string& out);
  Result<int64_t> Size();
  // Where the last `lines` lines begin. Looks back at most `look_back` bytes, and begins there, at
  // a whole character, when the lines are longer than that.
  Result<int64_t> TailStart(int64_t lines, int64_t look_back);
  // Gives the descriptor back; the next call opens the file again.
  void Close() { fd_.Reset(); }
  const os::Path& path() const { return path_; }

 private:
  Result<bool> Open();  // false: not there

  os::Path path_;
  os::Fd fd_;
};

// How many bytes of `bytes` to show as one text: up to the last line end, or, without any, the
// whole characters.
size_t CutText(std::string_view bytes);
// Whether there is a line end ('\n', or the '\r' of a progress bar).
bool HasLineEnd(std::string_view bytes);

}  // namespace muster::api
