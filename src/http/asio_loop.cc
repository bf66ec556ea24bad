#include "http/asio_loop.h"

#include <algorithm>
#include <chrono>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/log.h"

namespace muster::http {
namespace asio = boost::asio;
using boost::system::error_code;

struct AsioLoop::Timer {
  asio::steady_timer timer;
  std::function<void()> fn;
};

struct AsioLoop::Watch {
  explicit Watch(asio::io_context& context) : descriptor(context) {}
  ~Watch() { Release(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Releases the descriptor without closing it: it belongs to the caller.
  void Release() {
    if (descriptor.is_open()) descriptor.release();
  }

  asio::posix::stream_descriptor descriptor;
  std::function<void()> fn;
};

AsioLoop::AsioLoop() = default;

AsioLoop::~AsioLoop() {
  context_.shutdown();
  for (auto& [id, watch] : watches_) watch->Release();
}

void AsioLoop::Post(std::function<void()> fn) { asio::post(context_, std::move(fn)); }

os::Loop::Id AsioLoop::After(int64_t ms, std::function<void()> fn) {
  // An upper bound that keeps the sum of time and delay within its type.
  constexpr int64_t kLongest = int64_t{365} * 24 * 3600 * 1000;
  const std::chrono::milliseconds distance(std::clamp<int64_t>(ms, 0, kLongest));
  const Id id = ++last_id_;
  auto timer = std::make_unique<Timer>(asio::steady_timer(context_, distance), std::move(fn));
  timer->timer.async_wait([this, id](error_code error) {
    if (error) return;  // cancelled, or the loop is being destroyed
    const auto node = timers_.extract(id);
    if (!node.empty()) node.mapped()->fn();
  });
  timers_.emplace(id, std::move(timer));
  return id;
}

void AsioLoop::Cancel(Id timer) { timers_.erase(timer); }

os::Loop::Id AsioLoop::WatchReadable(int fd, std::function<void()> fn) {
  auto watch = std::make_shared<Watch>(context_);
  const Id id = ++last_id_;
  error_code error;
  watch->descriptor.assign(fd, error);
  if (error) {
    LogError("cannot watch descriptor {}: {}", fd, error.message());
    return id;
  }
  watch->fn = std::move(fn);
  watches_.emplace(id, watch);
  Await(watch);
  return id;
}

void AsioLoop::Await(const std::shared_ptr<Watch>& watch) {
  watch->descriptor.async_wait(
      asio::posix::stream_descriptor::wait_read, [this, watch](error_code error) {
        if (error == asio::error::operation_aborted || !watch->descriptor.is_open()) return;
        if (error) {
          LogError("stopped watching descriptor {}: {}", watch->descriptor.native_handle(),
                   error.message());
          return;
        }
        watch->fn();
        if (watch->descriptor.is_open()) Await(watch);
      });
}

void AsioLoop::Unwatch(Id watch) {
  const auto node = watches_.extract(watch);
  if (!node.empty()) node.mapped()->Release();
}

void AsioLoop::Run() {
  const auto work = asio::make_work_guard(context_);
  context_.restart();
  context_.run();
}

void AsioLoop::Stop() { context_.stop(); }

}  // namespace muster::http
