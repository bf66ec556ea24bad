#include "http/client.h"

namespace muster::http {
namespace {

// Larger events and lines are dropped; Muster's servers send none.
constexpr size_t kLargestEvent = 16 << 20;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void SseParser::Feed(std::string_view bytes, const std::function<void(const SseEvent&)>& take) {
  // The remaining bytes contain no line end, except a '\r' that may be the first half of one.
  size_t search = buffer_.size() - (buffer_.ends_with('\r') ? 1 : 0);
  buffer_ += bytes;
  if (!started_) {
    if (kByteOrderMark.starts_with(buffer_)) {
      if (buffer_.size() < kByteOrderMark.size()) return;
      buffer_.clear();
    } else if (buffer_.starts_with(kByteOrderMark)) {
      buffer_.erase(0, kByteOrderMark.size());
    }
    started_ = true;
    search = 0;
  }
  size_t begin = 0;
  while (true) {
    const size_t end = buffer_.find_first_of("\r\n", search);
    // A final '\r' may be the first half of "\r\n": the next bytes decide.
    if (end == std::string::npos || (buffer_[end] == '\r' && end + 1 == buffer_.size())) break;
    const bool pair = buffer_[end] == '\r' && buffer_[end + 1] == '\n';
    TakeLine(std::string_view(buffer_).substr(begin, end - begin), take);
    begin = search = end + (pair ? 2 : 1);
  }
  buffer_.erase(0, begin);
  if (buffer_.size() > kLargestEvent) {
    buffer_.clear();
    oversize_ = true;
  }
}

void SseParser::TakeLine(std::string_view line, const std::function<void(const SseEvent&)>& take) {
  if (line.empty()) {
    if (has_data_ && !oversize_) take(current_);
    current_.event = "message";
    current_.data.clear();
    has_data_ = oversize_ = false;
    return;
  }
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) current_.data += '\n';
    has_data_ = true;
    oversize_ = oversize_ || current_.data.size() + value.size() > kLargestEvent;
    if (oversize_) {
      current_.data.clear();
    } else {
      current_.data += value;
    }
  } else if (name == "event") {
    current_.event = value.empty() ? "message" : value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    current_.id = value;  // kept for later events, because a resume needs it
  }
}

}  // namespace muster::http
