#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::transfer {

// A tar of objects, as MinIO unpacks it into a bucket. Pure.

// Whether an object of this key comes out of an archive as that very key: plain names that the
// oldest form of tar has room for, and nothing that a path could be cleaned of.
bool FitsArchive(std::string_view key);

// `key` fits.
void AddToArchive(std::string& archive, std::string_view key, std::string_view bytes,
                  int64_t mtime_s);
void EndArchive(std::string& archive);
size_t LengthInArchive(size_t bytes);  // of a file of so many
constexpr size_t kArchiveEnd = 1024;

}  // namespace muster::transfer
