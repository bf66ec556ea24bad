#pragma once

#include <memory>
#include <optional>

#include "http/connection.h"
#include "http/message.h"

namespace muster::http {

// What a handler answered: a whole response, or a head and the stream or the file behind it.
struct Answer {
  Response response;
  std::unique_ptr<Stream> stream;
  std::optional<FileBody> file = std::nullopt;
};

// Where the Reply of one request puts its answer. Shared between that Reply and the session, either
// of which may outlive the other.
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
