#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// What the job file says of its outputs: NAME: PLACE, or NAME: {to: PLACE, mode: …, when: …,
// sync: …}.
struct Destinations {
  Pairs folders;  // name -> folder that the ranks write into; empty: the job's own
  std::vector<Publishing> published;  // of these, what is taken elsewhere
  Pairs urls;  // far ones with `mode: url`: plain words for the command, which copies by itself
};
struct DestinationEntries {
  std::optional<Destinations> Read(const Cursor& at) const;
  json::object Schema() const;
};

// A folder, or one in a bucket (s3://, obs://).
struct FolderOrBucket {
  std::string_view expected = "a folder, s3://BUCKET/PREFIX or obs://BUCKET/PREFIX";
  std::optional<std::string> Read(const Cursor& at) const;
  json::object Schema() const;
};

}  // namespace muster
