#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "http/client.h"
#include "http/message.h"

namespace muster::api {

// For tests: reads a stream as a connection does. Copies share the stream.
class StreamReader {
 public:
  explicit StreamReader(std::unique_ptr<http::Stream> stream) : stream_(std::move(stream)) {
    stream_->OnReady([wakes = wakes_] { ++*wakes; });
  }

  // One Read; true if it returned data.
  bool ReadOnce() {
    std::string piece;
    last = stream_->Read(piece);
    if (last != http::Stream::Next::kData) return false;
    bytes += piece;
    parser_.Feed(piece, [this](const http::SseEvent& event) { events.push_back(event); });
    return true;
  }
  // Reads everything that is available now.
  StreamReader& Drain() {
    while (ReadOnce()) continue;
    return *this;
  }
  bool ended() const { return last == http::Stream::Next::kEnd; }
  bool waits() const { return last == http::Stream::Next::kWait; }
  int wakes() const { return *wakes_; }

  std::vector<json::object> DataOf(std::string_view event) const {
    std::vector<json::object> all;
    for (const http::SseEvent& each : events)
      if (each.event == event) all.push_back(ParseJson(each.data)->as_object());
    return all;
  }
  // The concatenated log events of one rank.
  std::string TextOf(int rank, int attempt = 1) const {
    std::string text;
    for (const json::object& data : DataOf("log"))
      if (GetInt(data, "rank") == rank && GetInt(data, "attempt") == attempt)
        text += GetString(data, "text");
    return text;
  }

  std::string bytes;
  std::vector<http::SseEvent> events;
  http::Stream::Next last = http::Stream::Next::kData;

 private:
  std::shared_ptr<int> wakes_ = std::make_shared<int>(0);
  std::shared_ptr<http::Stream> stream_;
  http::SseParser parser_;
};

}  // namespace muster::api
