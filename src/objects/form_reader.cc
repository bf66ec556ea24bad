#include "objects/form_reader.h"

#include <algorithm>

#include "base/text.h"

namespace muster::objects {
namespace {

// Limits of S3, the second for one part's head.
constexpr size_t kMostBeforeFile = 20 << 10, kLongestHead = 8 << 10;
constexpr size_t kLongestBoundary = 200;

// The parameter of a header such as `form-data; name="key"`; empty when it has none.
std::string Parameter(std::string_view header, std::string_view wanted) {
  for (size_t at = header.find(';'); at != std::string_view::npos;) {
    const size_t equals = header.find('=', at);
    if (equals == std::string_view::npos) break;
    const std::string_view name = Trim(header.substr(at + 1, equals - at - 1));
    size_t from = equals + 1, end = std::min(header.find(';', from), header.size());
    const bool quoted = from < header.size() && header[from] == '"';
    if (quoted) {
      ++from;
      end = std::min(header.find('"', from), header.size());
    }
    if (SameWord(name, wanted)) {
      const std::string_view value = header.substr(from, end - from);
      return std::string(quoted ? value : Trim(value));
    }
    at = header.find(';', end);
  }
  return {};
}

std::unexpected<S3Error> Malformed() { return Refuse(S3Code::kMalformedPostRequest); }

}  // namespace

std::string_view PostForm::Field(std::string_view name) const {
  const auto it = std::ranges::find(fields, name, &Pairs::value_type::first);
  return it == fields.end() ? std::string_view() : std::string_view(it->second);
}

std::string BoundaryOf(std::string_view content_type) {
  const std::string_view type = Trim(content_type.substr(0, content_type.find(';')));
  if (!SameWord(type, "multipart/form-data")) return {};
  std::string boundary = Parameter(content_type, "boundary");
  return boundary.size() <= kLongestBoundary ? boundary : "";
}

FormReader::FormReader(std::string_view boundary, OnFile on_file, OnBytes on_bytes)
    : delimiter_("\r\n--" + std::string(boundary)),
      on_file_(std::move(on_file)),
      on_bytes_(std::move(on_bytes)) {}

S3Status FormReader::Feed(std::string_view bytes) {
  if (state_ == State::kEpilogue) return {};
  buffer_ += bytes;
  while (true) {
    MUSTER_ASSIGN(const bool more, Step());
    if (!more) return {};
  }
}

S3Status FormReader::End() const {
  if (state_ != State::kEpilogue) return Malformed();
  return {};
}

S3Result<bool> FormReader::Step() {
  switch (state_) {
    case State::kPreamble: {
      const size_t at = buffer_.find(delimiter_);
      if (at == std::string::npos && buffer_.size() > kLongestHead) return Malformed();
      if (at == std::string::npos) return false;
      buffer_.erase(0, at + delimiter_.size());
      state_ = State::kBoundary;
      return true;
    }
    case State::kBoundary:
      return ReadBoundary();
    case State::kHead:
      return ReadHead();
    case State::kField:
      return ReadField();
    case State::kFile:
      return ReadFile();
    case State::kEpilogue:
      break;
  }
  buffer_.clear();
  return false;
}

S3Result<bool> FormReader::ReadBoundary() {
  if (buffer_.size() < 2) return false;
  // The last boundary, and no file so far.
  if (!buffer_.starts_with("\r\n")) return Malformed();
  state_ = State::kHead;  // the line break stays: a part may have no head at all
  return true;
}

S3Result<bool> FormReader::ReadHead() {
  const size_t end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos && buffer_.size() > kLongestHead) return Malformed();
  if (end == std::string::npos) return false;
  std::string disposition, type;
  for (const std::string& line : Split(std::string_view(buffer_).substr(0, end), '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view value = Trim(std::string_view(line).substr(colon + 1));
    const std::string_view name = Trim(std::string_view(line).substr(0, colon));
    if (SameWord(name, "Content-Disposition")) disposition = value;
    if (SameWord(name, "Content-Type")) type = value;
  }
  buffer_.erase(0, end + 4);
  name_ = Lower(Parameter(disposition, "name"));
  if (name_.empty()) return Malformed();
  if (name_ != "file") {
    state_ = State::kField;
    return true;
  }
  const std::string path = Parameter(disposition, "filename");
  form_.filename = path.substr(path.find_last_of("/\\") + 1);
  form_.file_type = type;
  state_ = State::kFile;
  MUSTER_TRY(on_file_(form_));
  return true;
}

S3Result<bool> FormReader::ReadField() {
  const size_t end = buffer_.find(delimiter_);
  const size_t size = end == std::string::npos ? buffer_.size() : end;
  if (before_file_ + size > kMostBeforeFile) {
    return Refuse(S3Code::kMaxPostPreDataLengthExceeded);
  }
  if (end == std::string::npos) return false;
  before_file_ += name_.size() + size;
  form_.fields.emplace_back(name_, buffer_.substr(0, end));
  buffer_.erase(0, end + delimiter_.size());
  state_ = State::kBoundary;
  return true;
}

S3Result<bool> FormReader::ReadFile() {
  const size_t end = buffer_.find(delimiter_);
  if (end != std::string::npos) {
    MUSTER_TRY(on_bytes_(std::string_view(buffer_).substr(0, end)));
    state_ = State::kEpilogue;
    return true;
  }
  // The beginning of a delimiter may be at the end.
  if (buffer_.size() < delimiter_.size()) return false;
  const size_t safe = buffer_.size() - delimiter_.size() + 1;
  MUSTER_TRY(on_bytes_(std::string_view(buffer_).substr(0, safe)));
  buffer_.erase(0, safe);
  return false;
}

}  // namespace muster::objects
