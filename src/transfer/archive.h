#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::transfer {

// A tar of objects in the form that MinIO unpacks into a bucket. Pure.

// Whether MinIO restores exactly this key from an archive: the key consists of plain names, fits
// the oldest tar format, and contains nothing that path cleaning would change.
bool FitsArchive(std::string_view key);

// Precondition: FitsArchive(key).
void AddToArchive(std::string& archive, std::string_view key, std::string_view bytes,
                  int64_t mtime_s);
void EndArchive(std::string& archive);
size_t LengthInArchive(size_t bytes);  // of a file with this many bytes
constexpr size_t kArchiveEnd = 1024;

}  // namespace muster::transfer
