#pragma once

#include <string>
#include <thread>
#include <vector>

#include "os/fd.h"

namespace muster::http {

// For tests of the client: a server on a thread of its own that reads a request and plays the next
// entry of its script, over one connection after the other. It closes when the script ends.
class ScriptedServer {
 public:
  static constexpr const char* kClose = "\x01close";      // closes without an answer
  static constexpr const char* kSilence = "\x01silence";  // keeps it open and says nothing

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
