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
  bool follow = true;  // false: what is there now, once
  // Decides what Ctrl-C does; false: leave. Runs while no request is under way.
  std::function<bool()> on_interrupt;
  // How long to wait before the first look for a server that went away; doubles up to ten times.
  int64_t retry_ms = 250;
};

enum class Followed {
  kEnded,     // the view has seen the end
  kComplete,  // all that was there has been shown
  kLeft,      // Ctrl-C, and on_interrupt said so
  kBroken,    // nobody reads the output any more
};

// Shows a stream of events until it ends, and takes it up again at the event where it broke when
// the server goes away meanwhile. An Error is an answer of the server, such as kNotFound.
Result<Followed> Follow(Api& api, StreamView& view, Interrupts& interrupts,
                        const FollowRequest& request);

}  // namespace muster::cli
