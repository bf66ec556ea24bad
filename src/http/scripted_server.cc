#include "http/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::http {

ScriptedServer::ScriptedServer(std::vector<std::string> script)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  (void)::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_.get(), 8);
  ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this, script = std::move(script)] { Play(script); });
}

ScriptedServer::~ScriptedServer() {
  ::shutdown(listener_.get(), SHUT_RDWR);  // ends a pending accept
  thread_.join();
}

void ScriptedServer::Play(const std::vector<std::string>& script) {
  os::Fd connection;
  for (const std::string& entry : script) {
    if (!connection)
      connection = os::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) return;
    char request[64 << 10];
    if (::recv(connection.get(), request, sizeof request, 0) <= 0) return;
    if (entry == kClose) {
      connection.Reset();
    } else if (entry == kSilence) {
      ::recv(connection.get(), request, sizeof request, 0);  // until the client disconnects
    } else {
      ::send(connection.get(), entry.data(), entry.size(), MSG_NOSIGNAL);
    }
  }
}

}  // namespace muster::http
