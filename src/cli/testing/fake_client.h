#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/client.h"

namespace muster::cli {

// A scripted server for tests: every request receives the next response, and all requests are
// recorded.
class FakeServer {
 public:
  struct Asked {
    std::string method, target, body;
    http::Headers headers;
  };
  struct Answer {
    Result<http::Response> response;
    std::vector<std::string> pieces;  // of a body that is streamed
    std::function<void()> between;    // called before each `idle` after the pieces
    int idles = 0;                    // number of idle periods before the end
  };

  void Add(int status, std::string body) {
    answers_.push_back({http::Response{status, {}, std::move(body)}, {}, {}, 0});
  }
  void Add(Answer answer) { answers_.push_back(std::move(answer)); }
  void AddFailure(Code code) {
    answers_.push_back({Fail(code, "the connection broke"), {}, {}, 0});
  }

  std::unique_ptr<http::Client> NewClient();

  const std::vector<Asked>& asked() const { return asked_; }
  bool empty() const { return answers_.empty(); }

 private:
  class Client;
  Answer Take(Asked asked) {
    asked_.push_back(std::move(asked));
    if (answers_.empty())
      return {Fail(Code::kInternal, "the script has no more answers"), {}, {}, 0};
    Answer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  std::deque<Answer> answers_;
  std::vector<Asked> asked_;
};

class FakeServer::Client final : public http::Client {
 public:
  explicit Client(FakeServer& server) : server_(server) {}

  Result<http::Response> Send(const std::string& method, const std::string& target,
                              std::string_view body, const http::Headers& headers) override {
    return server_.Take({method, target, std::string(body), headers}).response;
  }
  Result<http::Response> Do(const http::Call& call) override {
    return server_.Take({call.method, call.target, std::string(call.body), call.headers}).response;
  }
  Result<http::Response> SendFile(const std::string& method, const std::string& target,
                                  const os::Path& file, const http::Headers& headers) override {
    return server_.Take({method, target, os::ReadFile(file).value_or("(unreadable)"), headers})
        .response;
  }
  Result<http::Response> Read(const std::string& target, const http::Headers& headers,
                              const std::function<bool(std::string_view)>& take, int64_t,
                              const std::function<bool()>& idle) override {
    Answer answer = server_.Take({"GET", target, "", headers});
    for (const std::string& piece : answer.pieces)
      if (!take(piece)) return http::Response{};
    for (int i = 0; i < answer.idles; ++i) {
      if (answer.between) answer.between();
      if (!idle()) return http::Response{};
    }
    return std::move(answer.response);
  }

 private:
  FakeServer& server_;
};

inline std::unique_ptr<http::Client> FakeServer::NewClient() {
  return std::make_unique<Client>(*this);
}

}  // namespace muster::cli
