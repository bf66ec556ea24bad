#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/file.h"

namespace muster::cli {

// The address of a server. The token is a secret: never print it.
struct Endpoint {
  std::string url;  // "http://127.0.0.1:4711", no '/' at its end
  std::string token;
  int pid = 0;  // 0 if the server was named by --server
};

// The user's choice of a server.
struct Wanted {
  std::string server;  // --server, else $MUSTER_SERVER, else empty
  std::string token;   // $MUSTER_TOKEN
  os::Path data;       // --data, else $MUSTER_DATA, else the default data folder
  bool may_start = true;
};

// Side effects of finding a server; tests replace them.
struct World {
  // GET /health; kUnavailable if no server listens.
  std::function<Status(const Endpoint&)> probe;
  std::function<bool(int pid)> is_alive;
  // Starts a server on `data` and waits until it responds.
  std::function<Result<Endpoint>(const os::Path& data)> start;
  // Prints one line for the user.
  std::function<void(const std::string&)> say;
};

// Reads DATA/endpoint.json. kNotFound if it does not exist; kDenied if others can read it, because
// it contains the token; kCorrupt if it is invalid.
Result<Endpoint> ReadEndpoint(const os::Path& data);

// The named server, else the running server of `data`, else a new one. The endpoint file of a dead
// server is ignored.
Result<Endpoint> FindServer(const Wanted& wanted, const World& world);

// Accepts "host:port" and a trailing '/'; kInvalid for anything else than an http(s) URL.
Result<std::string> NormalUrl(std::string_view text);

}  // namespace muster::cli
