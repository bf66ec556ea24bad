#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace muster::launcher {

// Reads the lines of a file that another process appends to. One look reads at most 256 KiB; when
// more was written since the last look, only the newest 64 KiB are read. Longer lines than 64 KiB
// are skipped. A file that became shorter is read from its beginning.
class LineTail {
 public:
  enum class End { kNewline, kReturn, kCut };
  using TakeLine = std::function<void(std::string_view line, End end)>;

  // With `returns`, a carriage return ends a line as well: progress bars are redrawn with it.
  explicit LineTail(bool returns) : returns_(returns) {}

  // `file` is open for reading and `size` bytes long now.
  void Look(int file, int64_t size, const TakeLine& take);
  // Hands over an unfinished last line: nothing more will come.
  void Close(const TakeLine& take) { EndLine({}, End::kCut, take); }
  // The file was replaced by another one.
  void Restart();
  bool skipped() const { return skipped_; }  // a line or a part of the file was not read

 private:
  void TakeBytes(std::string_view bytes, const TakeLine& take);
  void EndLine(std::string_view rest, End end, const TakeLine& take);

  bool returns_;
  int64_t offset_ = 0;     // read so far
  std::string begun_;      // a line whose end has not come yet
  bool skipping_ = false;  // inside of a line whose beginning was not read or not kept
  bool skipped_ = false;
};

}  // namespace muster::launcher
