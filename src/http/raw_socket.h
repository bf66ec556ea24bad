#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "os/fd.h"

namespace muster::http {

// For tests: a TCP client that sends the very bytes it is told to, and waits at most ten seconds
// for anything. A failure shows as an empty answer or a false, never as a hang.
class RawSocket {
 public:
  // `from`: the address that it comes from; by itself it is the server's own, as of one machine.
  explicit RawSocket(int port, const char* from = "127.0.0.1");

  bool connected() const { return static_cast<bool>(fd_); }
  bool Send(std::string_view bytes);
  void EndWrites();
  // One whole answer, its body unchunked; status 0 when none came. `head_only`: to a HEAD.
  Response ReadAnswer(bool head_only = false);
  // The next `count` bytes; fewer when the connection ends first.
  std::string ReadBytes(size_t count);
  // Everything up to and with `mark`.
  std::string ReadUntil(std::string_view mark);
  // Whether the server has closed with nothing more to read.
  bool AtEnd();
  void Close() { fd_.Reset(); }
  void Reset();  // closes so that the server sees a broken connection
  int fd() const { return fd_.get(); }

  // Both in one.
  Response Ask(std::string_view bytes) {
    return Send(bytes) ? ReadAnswer() : Response{.status = 0};
  }

 private:
  bool Fill();
  std::string ReadChunks();

  os::Fd fd_;
  std::string held_;
};

}  // namespace muster::http
