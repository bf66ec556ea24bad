#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"

namespace muster::transfer {

// Why a request failed, with everything that the retry decision needs. An Error of the transport or
// the disk converts to a Trouble.
struct Trouble {
  Trouble() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): errors of lower layers pass through as they are
  Trouble(Error its_error) : error(std::move(its_error)) {}

  Error error;
  int status = 0;              // HTTP status; 0 if no response arrived
  std::string s3_code = {};    // "SlowDown"; empty if the response has no error name
  int64_t server_wall_ms = 0;  // the clock of the server in its response; 0 if unknown
};

template <typename T>
using Outcome = std::expected<T, Trouble>;

}  // namespace muster::transfer
