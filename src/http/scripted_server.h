#pragma once

#include <string>
#include <thread>
#include <vector>

#include "os/fd.h"

namespace muster::http {

// For tests of the client: a server thread that reads a request and sends the next entry of its
// script, one connection after the other. It closes at the end of the script.
class ScriptedServer {
 public:
  static constexpr const char* kClose = "\x01close";  // closes without a response
  // Keeps the connection open without a response.
  static constexpr const char* kSilence = "\x01silence";

  explicit ScriptedServer(std::vector<std::string> script);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }

 private:
  void Play(const std::vector<std::string>& script);

  os::Fd listener_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace muster::http
