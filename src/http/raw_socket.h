#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "os/fd.h"

namespace muster::http {

// For tests: a TCP client that sends exactly the given bytes. Every wait ends after ten seconds; a
// failure is an empty answer or false, never a hang.
class RawSocket {
 public:
  // `from`: the source address; by default that of the server, as for a client on the same machine.
  explicit RawSocket(int port, const char* from = "127.0.0.1");

  bool connected() const { return static_cast<bool>(fd_); }
  bool Send(std::string_view bytes);
  void EndWrites();
  // Reads one whole response and decodes its chunks; status 0 if none arrived. `head_only`: a
  // response to HEAD.
  Response ReadAnswer(bool head_only = false);
  // The next `count` bytes; fewer if the connection ends.
  std::string ReadBytes(size_t count);
  // All bytes up to and including `mark`.
  std::string ReadUntil(std::string_view mark);
  // Whether the server closed the connection and all bytes were read.
  bool AtEnd();
  void Close() { fd_.Reset(); }
  void Reset();  // closes with a connection reset
  int fd() const { return fd_.get(); }

  // Sends the bytes and reads the response.
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
