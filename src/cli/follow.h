#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/api.h"
#include "cli/interrupts.h"
#include "cli/stream_view.h"

namespace muster::cli {

struct FollowRequest {
  std::string target;  // "/jobs/17/logs?follow=1"
  bool follow = true;  // false: existing output only
  // Handles Ctrl-C; returns false to leave. Runs between requests.
  std::function<bool()> on_interrupt;
  // The wait before the first reconnect; doubled up to ten times.
  int64_t retry_ms = 250;
};

enum class Followed {
  kEnded,     // the view has received the end of the job
  kComplete,  // all existing output was shown
  kLeft,      // Ctrl-C, and on_interrupt returned false
  kBroken,    // the reader of the output closed the pipe
};

// Shows an event stream until it ends, and resumes it at the next event after a lost connection. An
// Error is an error response of the server, such as kNotFound.
Result<Followed> Follow(Api& api, StreamView& view, Interrupts& interrupts,
                        const FollowRequest& request);

}  // namespace muster::cli
