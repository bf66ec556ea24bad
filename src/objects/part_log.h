#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "s3/checksum.h"

namespace muster::objects {

// One part of an upload that was received whole.
struct Part {
  int number = 0;
  int64_t size = 0;
  int64_t mtime_ms = 0;
  std::string md5;   // raw
  std::string file;  // its own; empty: at its place in the upload's common one
  std::optional<s3::Checksum> checksum;
};

// Lines of the upload's log, which is only ever added to: the last line of a number counts. One
// that was torn by a crash does not read, and the next begins with a line break of its own.
std::string WritePartLine(const Part& part);
std::optional<Part> ReadPartLine(std::string_view line);  // without its '\n'
// How far the places of parts in the common file are apart.
std::string WritePlaceLine(int64_t size);
std::optional<int64_t> ReadPlaceLine(std::string_view line);

}  // namespace muster::objects
