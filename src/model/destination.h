#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// The outputs of a job file: NAME: PLACE, or NAME: {to: PLACE, mode: …, when: …, sync: …}.
struct Destinations {
  Pairs folders;  // name to the folder that ranks write; empty for a folder of the job
  std::vector<Publishing> published;  // those that are copied elsewhere
  Pairs urls;  // remote ones with `mode: url`, passed to the command, which copies them itself
};
struct DestinationEntries {
  std::optional<Destinations> Read(const Cursor& at) const;
  json::object Schema() const;
};

// A folder, or a prefix in a bucket (s3://, obs://).
struct FolderOrBucket {
  std::string_view expected = "a folder, s3://BUCKET/PREFIX or obs://BUCKET/PREFIX";
  std::optional<std::string> Read(const Cursor& at) const;
  json::object Schema() const;
};

}  // namespace muster
