#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "base/result.h"

namespace muster::transfer {

// Why a request was not served, with all that a decision to try again needs. An Error of the
// transport or of the disk becomes one by itself.
struct Trouble {
  Trouble() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): errors of lower layers pass through as they are
  Trouble(Error its_error) : error(std::move(its_error)) {}

  Error error;
  int status = 0;              // of HTTP; 0: no answer came
  std::string s3_code = {};    // "SlowDown"; empty when the answer named none
  int64_t server_wall_ms = 0;  // the server's clock by its answer; 0: not told
};

template <typename T>
using Outcome = std::expected<T, Trouble>;

}  // namespace muster::transfer
