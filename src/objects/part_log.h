#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "s3/checksum.h"

namespace muster::objects {

// A completely received part of an upload.
struct Part {
  int number = 0;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string md5;  // raw
  // Its separate file; empty if it is at its place in the common file of the upload.
  std::string file;
  std::optional<s3::Checksum> checksum;
};

// Lines of the append-only log of an upload: the last line of a part number counts. A line torn by
// a crash is ignored, and the next line begins with a line break.
std::string WritePartLine(const Part& part);
std::optional<Part> ReadPartLine(std::string_view line);  // without '\n'
// The distance between parts in the common file.
std::string WritePlaceLine(int64_t size);
std::optional<int64_t> ReadPlaceLine(std::string_view line);

}  // namespace muster::objects
