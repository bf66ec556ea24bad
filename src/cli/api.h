#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/client.h"

namespace muster::cli {

// A conversation with one server in terms of its HTTP API. Targets are below /api/v1. Answers other
// than success become the Error that the server described, so callers branch on its code; trouble
// on the way to it is kUnavailable or kTimeout.
class Api {
 public:
  // Finds the server again and makes a client for it, after the connection broke: it may have come
  // back on another port.
  using Reopen = std::function<Result<std::unique_ptr<http::Client>>()>;

  Api(std::unique_ptr<http::Client> client, Reopen reopen, std::string url)
      : client_(std::move(client)), reopen_(std::move(reopen)), url_(std::move(url)) {}

  Result<json::object> Get(const std::string& target);
  // Null sends no body at all.
  Result<json::object> Post(const std::string& target, const json::value& body,
                            const http::Headers& headers = {});
  Status Delete(const std::string& target);
  Status PutFile(const std::string& target, const os::Path& file);
  Status PutBytes(const std::string& target, std::string_view bytes);
  // As http::Client::Read, errors of the server made Errors.
  Result<http::Response> Read(const std::string& target, const http::Headers& headers,
                              const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                              const std::function<bool()>& idle);

  // ServerIsAway holds for its Error while there is none.
  Status Reconnect();
  const std::string& url() const { return url_; }

 private:
  std::unique_ptr<http::Client> client_;
  Reopen reopen_;
  std::string url_;
};

// The Error that a response with another status than 2xx stands for; faults go into its text.
Error ErrorOf(const http::Response& response, const std::string& what);

// True for trouble that passes when the server comes back: it could not be reached, or is stopping.
bool ServerIsAway(const Error& error);

inline constexpr std::string_view kApiPrefix = "/api/v1";

}  // namespace muster::cli
