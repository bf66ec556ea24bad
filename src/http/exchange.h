#pragma once

#include <memory>
#include <optional>

#include "http/connection.h"
#include "http/message.h"

namespace muster::http {

// The result of a handler: a whole response, or a head followed by a stream or a file.
struct Answer {
  Response response;
  std::unique_ptr<Stream> stream;
  std::optional<FileBody> file = std::nullopt;
};

// Receives the Reply of one request. Shared between that Reply and the session; either may outlive
// the other.
class Exchange final : public Reply::Sink {
 public:
  explicit Exchange(std::weak_ptr<Connection> connection) : connection_(std::move(connection)) {}

  void Send(Response response) override { Put({std::move(response), nullptr}); }
  void SendStream(Response head, std::unique_ptr<Stream> stream) override {
    Put({std::move(head), std::move(stream)});
  }
  void SendFile(Response head, FileBody body) override {
    Put({std::move(head), nullptr, std::move(body)});
  }
  std::optional<Answer> Take() { return std::exchange(answer_, std::nullopt); }

 private:
  void Put(Answer answer) {
    answer_ = std::move(answer);
    if (const auto connection = connection_.lock()) connection->Wake();
  }

  std::weak_ptr<Connection> connection_;
  std::optional<Answer> answer_;
};

}  // namespace muster::http
