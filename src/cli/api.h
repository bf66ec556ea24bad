#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/client.h"

namespace muster::cli {

// A client of one server's HTTP API. Targets are below /api/v1. A response with an error becomes
// the Error that the server described, so that callers branch on its code; a transport failure is
// kUnavailable or kTimeout.
class Api {
 public:
  // Finds the server again after the connection broke, and creates a client: the server may have
  // restarted on another port.
  using Reopen = std::function<Result<std::unique_ptr<http::Client>>()>;

  Api(std::unique_ptr<http::Client> client, Reopen reopen, std::string url)
      : client_(std::move(client)), reopen_(std::move(reopen)), url_(std::move(url)) {}

  Result<json::object> Get(const std::string& target);
  // A null body sends none.
  Result<json::object> Post(const std::string& target, const json::value& body,
                            const http::Headers& headers = {});
  Status Delete(const std::string& target);
  Status PutFile(const std::string& target, const os::Path& file);
  Status PutBytes(const std::string& target, std::string_view bytes);
  // As http::Client::Read, with error responses as Errors.
  Result<http::Response> Read(const std::string& target, const http::Headers& headers,
                              const std::function<bool(std::string_view)>& take, int64_t idle_ms,
                              const std::function<bool()>& idle);

  // ServerIsAway is true for its Error while no server runs.
  Status Reconnect();
  const std::string& url() const { return url_; }

 private:
  std::unique_ptr<http::Client> client_;
  Reopen reopen_;
  std::string url_;
};

// The Error for a response with another status than 2xx; its text contains the faults.
Error ErrorOf(const http::Response& response, const std::string& what);

// True for failures that end when the server returns: it is unreachable or stopping.
bool ServerIsAway(const Error& error);

inline constexpr std::string_view kApiPrefix = "/api/v1";

}  // namespace muster::cli
