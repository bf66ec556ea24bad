#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/request_parser.h"
#include "launcher/key_value.h"
#include "model/order.h"
#include "os/fd.h"
#include "os/loop.h"

namespace muster::launcher {

// Serves the store of key_value.h over HTTP/1.1, one request per connection. Waiting ranks send
// thousands of requests per second. Lives on the launcher's loop.
class RendezvousServer {
 public:
  // `most_arriving` limits the total size of incomplete request bodies.
  explicit RendezvousServer(os::Loop& loop, int64_t most_arriving = 256 << 20)
      : loop_(loop), most_arriving_(most_arriving) {}
  ~RendezvousServer();
  RendezvousServer(const RendezvousServer&) = delete;
  RendezvousServer& operator=(const RendezvousServer&) = delete;

  // kUnavailable names the address that cannot be bound. Port 0 selects a free port; see port().
  Status Listen(const Rendezvous& where);
  int port() const { return port_; }

 private:
  struct Peer {
    os::Fd socket;
    os::Loop::Id watch = 0;
    os::Loop::Id timer = 0;  // ends the connection after the time limit
    os::Loop::Id retry = 0;  // of sending
    http::Request request;
    std::unique_ptr<http::RequestParser> parser;
    std::string bytes;   // not yet parsed
    std::string answer;  // set when the response is known
    size_t sent = 0;
  };
  using Id = uint64_t;

  void Listen();
  void Accept();
  void OnReadable(Id id);
  bool Parse(Peer& peer);
  void Answer(Id id);
  void Send(Id id);
  void Close(Id id);

  os::Loop& loop_;
  const int64_t most_arriving_;
  KeyValue store_;
  os::Fd listener_;
  os::Loop::Id watch_ = 0;
  int port_ = 0;
  os::Loop::Id pause_ = 0;  // until connections are accepted again
  int64_t arriving_ = 0;    // bytes of bodies that are not stored yet
  Id next_id_ = 1;
  std::map<Id, Peer> peers_;
};

// Whether a server accepts connections there; waits only briefly.
bool CanConnect(const Rendezvous& where);

}  // namespace muster::launcher
