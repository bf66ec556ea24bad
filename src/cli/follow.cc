#include "cli/follow.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::cli {
namespace {

constexpr int64_t kIdleMs = 200;

class Follower {
 public:
  Follower(Api& api, StreamView& view, Interrupts& interrupts, const FollowRequest& request)
      : api_(api), view_(view), interrupts_(interrupts), request_(request) {}

  Result<Followed> Run() {
    for (;;) {
      const Status status = ReadOnce();
      if (view_.broken()) return Followed::kBroken;
      if (view_.ended()) return Followed::kEnded;
      if (interrupted_) {
        if (!HandleInterrupt()) return Followed::kLeft;
        continue;
      }
      if (!status && !ServerIsAway(status.error())) {
        view_.Clear();
        return std::unexpected(status.error());
      }
      if (status && !request_.follow) return Followed::kComplete;
      if (!WaitForServer()) return Followed::kLeft;
    }
  }

 private:
  Status ReadOnce() {
    http::SseParser parser;
    http::Headers headers{{"Accept", "text/event-stream"}};
    if (!last_id_.empty()) headers.emplace_back("Last-Event-ID", last_id_);
    const auto take = [&](std::string_view bytes) {
      away_ = false;
      parser.Feed(bytes, [&](const http::SseEvent& event) {
        view_.Take(event);
        if (!event.id.empty()) last_id_ = event.id;
      });
      return GoOn();
    };
    const auto idle = [&] {
      view_.Tick();
      return GoOn();
    };
    MUSTER_TRY(api_.Read(request_.target, headers, take, kIdleMs, idle));
    return {};
  }

  bool GoOn() {
    if (interrupts_.Pressed()) interrupted_ = true;
    return !interrupted_ && !view_.broken() && !view_.ended();
  }

  bool HandleInterrupt() {
    interrupted_ = false;
    view_.Clear();
    return !request_.on_interrupt || request_.on_interrupt();
  }

  // Returns false if Ctrl-C ended the wait.
  bool WaitForServer() {
    if (!away_) view_.Say("the server went away; its jobs go on; waiting for it to come back");
    away_ = true;
    for (int64_t pause = request_.retry_ms;; pause = std::min(pause * 2, request_.retry_ms * 10)) {
      if (interrupts_.Sleep(pause)) return false;
      if (api_.Reconnect()) return true;
    }
  }

  Api& api_;
  StreamView& view_;
  Interrupts& interrupts_;
  const FollowRequest& request_;
  std::string last_id_;
  bool interrupted_ = false;
  bool away_ = false;  // the outage was reported; reset by the next byte
};

}  // namespace

Result<Followed> Follow(Api& api, StreamView& view, Interrupts& interrupts,
                        const FollowRequest& request) {
  return Follower(api, view, interrupts, request).Run();
}

}  // namespace muster::cli
