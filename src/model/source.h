#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// Whether an input lies in a bucket (s3://, obs://) or behind an http(s) address. Pure, by its
// scheme alone.
bool IsFar(std::string_view place);
bool IsBucket(std::string_view place);

// What is wrong with a far place; empty: nothing.
std::string_view FarFault(std::string_view place);

// The name that what it stands for gets on a node: the last one of its path. Empty for a place that
// names a folder (it ends with '/'), for a bucket alone, and where the name cannot be a file's.
std::string FarName(std::string_view place);

// What the job file says of its inputs: NAME: PLACE, or NAME: {from: PLACE, mode: fetch|url}.
struct Sources {
  Pairs places;  // name -> place
  Pairs urls;    // far ones with `mode: url`: plain words for the command, which fetches by itself
};
struct SourceEntries {
  std::optional<Sources> Read(const Cursor& at) const;
  json::object Schema() const;
};

}  // namespace muster
