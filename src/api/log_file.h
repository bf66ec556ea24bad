#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"
#include "os/file.h"

namespace muster::api {

// A file that another process appends to, read by position. A missing file reads as empty; it is
// opened when it exists.
class LogFile {
 public:
  LogFile() = default;
  explicit LogFile(os::Path path) : path_(std::move(path)) {}

  // Reads the bytes in [offset, offset + limit) into `out`, fewer at the end.
  Status Read(int64_t offset, size_t limit, std::string& out);
  Result<int64_t> Size();
  // The start of the last `lines` lines. Looks back at most `look_back` bytes, and starts there at
  // a whole character if the lines are longer.
  Result<int64_t> TailStart(int64_t lines, int64_t look_back);
  // Closes the descriptor; the next call opens the file again.
  void Close() { fd_.Reset(); }
  const os::Path& path() const { return path_; }

 private:
  Result<bool> Open();  // false if missing

  os::Path path_;
  os::Fd fd_;
};

// The number of bytes to send as one text: up to the last line end, or, without one, whole
// characters.
size_t CutText(std::string_view bytes);
// Whether it contains a line end ('\n', or the '\r' of a progress bar).
bool HasLineEnd(std::string_view bytes);

}  // namespace muster::api
