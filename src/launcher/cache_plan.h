#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::launcher {

// What the cache of fetched inputs decides by. Pure; input_cache.h does it.

// One file of a source, as its listing tells it.
struct SourceFile {
  std::string name;  // relative, '/' between components
  int64_t size = 0;
  std::string identity;  // changes when the content does: where it is, and its ETag
};
// 64 hex digits that stand for exactly these files, whatever their order.
std::string CacheKey(std::vector<SourceFile> files);
bool IsCacheKey(std::string_view name);

// A file of an entry as it was when the entry was sealed. A name with '/' at its end is a folder
// with nothing in it.
struct CachedFile {
  std::string name;
  int64_t size = 0;
  int64_t mtime_ns = 0;
  bool operator==(const CachedFile&) const = default;
};
std::string WriteFileList(std::span<const CachedFile> files);
// kCorrupt when it is cut off or is none.
Result<std::vector<CachedFile>> ReadFileList(std::string_view text);

// How much an entry is.
struct EntrySize {
  int64_t bytes = 0;
  int64_t files = -1;  // not told by entries of old
  bool operator==(const EntrySize&) const = default;
};
std::string WriteEntrySize(const EntrySize& size);
EntrySize ReadEntrySize(std::string_view text);  // nothing in it: 0 bytes

// Which entry a source is as long as its store gives it the same stamp.
struct KnownSource {
  std::string stamp;
  std::string key;  // of the entry
  int64_t bytes = 0;
  bool single = false;  // one file that the URL itself names
  bool operator==(const KnownSource&) const = default;
};
std::string WriteKnownSource(const KnownSource& known);
std::optional<KnownSource> ReadKnownSource(std::string_view text);

struct CacheEntry {
  std::string key;
  int64_t bytes = 0;
  int64_t used_ms = 0;  // when a job last began to use it
  bool in_use = false;
};
// Which entries go, so that the rest is within the limit: the least recently used first, never one
// in use. All that can go, when even that is not enough.
std::vector<std::string> ChooseEvictions(std::vector<CacheEntry> entries, int64_t limit);

}  // namespace muster::launcher
