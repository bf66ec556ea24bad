#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/file.h"

namespace muster::cli {

// Where a server answers. The token is a secret: never print it.
struct Endpoint {
  std::string url;  // "http://127.0.0.1:4711", no '/' at its end
  std::string token;
  int pid = 0;  // 0 when it was named by --server
};

// What the user said about the server.
struct Wanted {
  std::string server;  // --server, else $MUSTER_SERVER, else empty
  std::string token;   // $MUSTER_TOKEN
  os::Path data;       // --data, else $MUSTER_DATA, else the user's data folder
  bool may_start = true;
};

// What finding a server needs of the world; tests give their own.
struct World {
  // GET /health of it: kUnavailable when nothing listens there.
  std::function<Status(const Endpoint&)> probe;
  std::function<bool(int pid)> is_alive;
  // Starts one on `data` and waits until it answers.
  std::function<Result<Endpoint>(const os::Path& data)> start;
  // One line for the user.
  std::function<void(const std::string&)> say;
};

// DATA/endpoint.json. kNotFound when there is none; kDenied when others can read it, for it holds
// the token; kCorrupt when it is not what a server writes.
Result<Endpoint> ReadEndpoint(const os::Path& data);

// The server that the user named, else the one that keeps `data`, else one that is started now. A
// left-over endpoint file of a dead server counts as none.
Result<Endpoint> FindServer(const Wanted& wanted, const World& world);

// "host:port" and a '/' at the end are forgiven; kInvalid for anything that is no http(s) URL.
Result<std::string> NormalUrl(std::string_view text);

}  // namespace muster::cli
