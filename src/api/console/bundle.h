#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::api {

// One file of the web console, in the encodings that the build made. Views into the executable.
struct Asset {
  std::string type;  // "text/css; charset=utf-8"
  std::string_view plain, gzip, brotli;
};

// The files of the web console by path: "index.html", "assets/main-Bx3.js".
using Bundle = std::map<std::string, Asset, std::less<>>;

// Reads what console/tools/pack.mjs writes: eight digits, the length of an index in JSON, the
// index, and the bytes of all files. An empty text is a build without the console and gives no
// files.
Result<Bundle> ReadBundle(std::string_view packed);

}  // namespace muster::api
