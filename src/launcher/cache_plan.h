#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::launcher {

// The decisions of the input cache. Pure; input_cache.h executes them.

// A file of a source, from its listing.
struct SourceFile {
  std::string name;  // relative, with '/' between components
  int64_t size = 0;
  std::string identity;  // changes with the content: location and ETag
};
// 64 hex digits that identify exactly these files, independent of their order.
std::string CacheKey(std::vector<SourceFile> files);
bool IsCacheKey(std::string_view name);

// A file of a cache entry when the entry was sealed. A name with a trailing '/' is an empty folder.
struct CachedFile {
  std::string name;
  int64_t size = 0;
  int64_t mtime_ns = 0;
  bool operator==(const CachedFile&) const = default;
};
std::string WriteFileList(std::span<const CachedFile> files);
// kCorrupt if the list is truncated or invalid.
Result<std::vector<CachedFile>> ReadFileList(std::string_view text);

// The size of a cache entry.
struct EntrySize {
  int64_t bytes = 0;
  int64_t files = -1;  // -1 for entries of older versions
  bool operator==(const EntrySize&) const = default;
};
std::string WriteEntrySize(const EntrySize& size);
EntrySize ReadEntrySize(std::string_view text);  // an empty text is 0 bytes

// The cache entry of a source, valid while the store returns the same stamp.
struct KnownSource {
  std::string stamp;
  std::string key;  // of the cache entry
  int64_t bytes = 0;
  bool single = false;  // a single file that the URL names
  bool operator==(const KnownSource&) const = default;
};
std::string WriteKnownSource(const KnownSource& known);
std::optional<KnownSource> ReadKnownSource(std::string_view text);

struct CacheEntry {
  std::string key;
  int64_t bytes = 0;
  int64_t used_ms = 0;  // when a job last started to use it
  bool in_use = false;
};
// The entries to evict so that the rest fits the limit: least recently used first, never an entry
// in use. All evictable entries if that is not sufficient.
std::vector<std::string> ChooseEvictions(std::vector<CacheEntry> entries, int64_t limit);

}  // namespace muster::launcher
