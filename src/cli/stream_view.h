#pragma once

#include <string_view>

#include "http/client.h"

namespace muster::cli {

// Something that shows the events of a stream as they come.
class StreamView {
 public:
  virtual ~StreamView() = default;

  virtual void Take(const http::SseEvent& event) = 0;
  // Called several times a second while nothing comes.
  virtual void Tick() = 0;
  // Takes away what is drawn over at the bottom of the terminal, so that others can write.
  virtual void Clear() = 0;
  // A remark of our own on standard error, on a line of its own.
  virtual void Say(std::string_view text) = 0;
  virtual bool ended() const = 0;
  // Nobody reads the output any more.
  virtual bool broken() const = 0;
};

}  // namespace muster::cli
