#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

// Whether an input is in a bucket (s3://, obs://) or at an http(s) URL. Pure; decided by the
// scheme.
bool IsFar(std::string_view place);
bool IsBucket(std::string_view place);

// What is wrong with a remote place; empty if it is valid.
std::string_view FarFault(std::string_view place);

// The file name of the input on a node: the last component of its path. Empty for a place that
// names a folder (trailing '/'), for a bucket alone, and if the name is not a valid file name.
std::string FarName(std::string_view place);

// The inputs of a job file: NAME: PLACE, or NAME: {from: PLACE, mode: fetch|url}.
struct Sources {
  Pairs places;  // name to place
  Pairs urls;    // remote ones with `mode: url`, passed to the command, which fetches them itself
};
struct SourceEntries {
  std::optional<Sources> Read(const Cursor& at) const;
  json::object Schema() const;
};

}  // namespace muster
