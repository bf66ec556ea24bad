#pragma once

#include <string_view>

#include "http/client.h"

namespace muster::cli {

// Shows the events of a stream as they arrive.
class StreamView {
 public:
  virtual ~StreamView() = default;

  virtual void Take(const http::SseEvent& event) = 0;
  // Called several times per second while no event arrives.
  virtual void Tick() = 0;
  // Removes the status line from the terminal, so that other output can follow.
  virtual void Clear() = 0;
  // Prints a message on standard error on a separate line.
  virtual void Say(std::string_view text) = 0;
  virtual bool ended() const = 0;
  // The reader of the output closed the pipe.
  virtual bool broken() const = 0;
};

}  // namespace muster::cli
