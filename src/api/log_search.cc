#include "api/log_search.h"

#include <fcntl.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "os/fd.h"

namespace muster::api {
namespace {

constexpr size_t kBlock = 2 << 20;
constexpr size_t kLongestText = 256;
constexpr size_t kShownBefore = 200;
constexpr size_t kShown = 1000;

char LowerChar(char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; }

void LowerInPlace(std::string& text) {
  for (char& c : text) c = LowerChar(c);
}

struct FreeRegex {
  void operator()(regex_t* regex) const {
    ::regfree(regex);
    delete regex;
  }
};
using Regex = std::unique_ptr<regex_t, FreeRegex>;

// The forms that people know from other regular expressions, in those of POSIX. Back-references are
// refused, because their time grows without bound.
Result<std::string> PosixForm(std::string_view text) {
  std::string posix;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (next >= '1' && next <= '9')
        return Fail(Code::kInvalid, "text has a back-reference, which search does not support");
      posix += next == 'd' ? "[0-9]" : std::string("\\") + next;
    } else if (text.substr(i).starts_with("(?:")) {
      posix += '(';
      i += 2;
    } else {
      posix += text[i];
    }
  }
  return posix;
}

Result<Regex> Compile(const LogSearch& search) {
  MUSTER_ASSIGN(const std::string posix, PosixForm(search.text));
  auto compiled = std::make_unique<regex_t>();
  const int flags = REG_EXTENDED | (search.ignore_case ? REG_ICASE : 0);
  const int code = ::regcomp(compiled.get(), posix.c_str(), flags);
  if (code == 0) return Regex(compiled.release());
  char reason[128];
  ::regerror(code, nullptr, reason, sizeof reason);
  return Fail(Code::kInvalid, fmt::format("text is no regular expression: {}", reason),
              "use the syntax of grep -E, or search without regex");
}

// Finds the first match at or after a place in a block of whole lines.
class Matcher {
 public:
  static Result<Matcher> Make(const LogSearch& search) {
    Matcher matcher(search);
    if (search.regex) {
      MUSTER_ASSIGN(matcher.regex_, Compile(search));
    }
    return matcher;
  }

  void SetBlock(std::string_view block) {
    block_ = block;
    if (regex_ || !ignore_case_) return;
    lower_ = block;
    LowerInPlace(lower_);
    block_ = lower_;
  }
  size_t Find(size_t from) const { return regex_ ? FindRegex(from) : FindText(from); }

 private:
  explicit Matcher(const LogSearch& search) : text_(search.text), ignore_case_(search.ignore_case) {
    if (ignore_case_) LowerInPlace(text_);
  }

  size_t FindText(size_t from) const {
    const void* found =
        ::memmem(block_.data() + from, block_.size() - from, text_.data(), text_.size());
    return found ? size_t(static_cast<const char*>(found) - block_.data()) : block_.npos;
  }
  // Line by line: the memory that regexec takes grows with the length of its text.
  size_t FindRegex(size_t from) const {
    while (from < block_.size()) {
      const size_t end = std::min(block_.find('\n', from), block_.size());
      regmatch_t match{.rm_so = 0, .rm_eo = regoff_t(end - from)};
      if (::regexec(regex_.get(), block_.data() + from, 1, &match, REG_STARTEND) == 0)
        return from + size_t(match.rm_so);
      from = end + 1;
    }
    return block_.npos;
  }

  std::string text_;
  bool ignore_case_;
  Regex regex_;
  std::string_view block_;
  std::string lower_;
};

// Reads a file in blocks of whole lines; a line longer than a block comes in pieces.
class Blocks {
 public:
  Blocks(const os::Fd& file, int64_t offset) : file_(file), offset_(offset) {}

  // Empty at the end.
  Result<std::string_view> Next() {
    offset_ += int64_t(size_);
    buffer_.resize(kBlock);
    const ssize_t got = ::pread(file_.get(), buffer_.data(), kBlock, offset_);
    if (got < 0) return FailErrno(errno, "read the log");
    size_ = size_t(got);
    const size_t last = std::string_view(buffer_).substr(0, size_).rfind('\n');
    if (size_ == kBlock && last != std::string_view::npos) size_ = last + 1;
    return std::string_view(buffer_).substr(0, size_);
  }
  int64_t offset() const { return offset_; }
  int64_t end() const { return offset_ + int64_t(size_); }

 private:
  const os::Fd& file_;
  int64_t offset_;
  size_t size_ = 0;
  std::string buffer_;
};

LogHit HitAt(std::string_view block, int64_t block_offset, size_t begin, size_t end, size_t at) {
  size_t shown = at - begin > kShownBefore ? at - kShownBefore : begin;
  while (shown < at && (block[shown] & 0xC0) == 0x80) ++shown;  // not inside a character
  return {block_offset + int64_t(begin),
          std::string(block.substr(shown, std::min(end - shown, kShown)))};
}

// Adds the hits of one block; where the search goes on when the limit is reached.
std::optional<int64_t> SearchBlock(const Matcher& matcher, std::string_view block, int64_t offset,
                                   int limit, std::vector<LogHit>& hits) {
  for (size_t from = 0; from < block.size();) {
    const size_t at = matcher.Find(from);
    if (at == block.npos) break;
    const size_t before = at == 0 ? block.npos : block.rfind('\n', at - 1);
    const size_t begin = before == block.npos ? 0 : before + 1;
    const size_t end = std::min(block.find('\n', at), block.size());
    if (int(hits.size()) == limit) return offset + int64_t(begin);
    hits.push_back(HitAt(block, offset, begin, end, at));
    from = end + 1;
  }
  return std::nullopt;
}

}  // namespace

Result<LogHits> SearchLog(const os::Path& path, const LogSearch& search) {
  if (search.text.empty() || search.text.size() > kLongestText ||
      search.text.find('\n') != std::string::npos)
    return Fail(Code::kInvalid,
                fmt::format("text is empty, above {} bytes, or more than one line", kLongestText));
  MUSTER_ASSIGN(Matcher matcher, Matcher::Make(search));
  Result<os::Fd> file = os::Open(path, O_RDONLY);
  LogHits result;
  if (!file && file.error().code == Code::kNotFound) return result;
  if (!file) return std::unexpected(file.error());
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(search.budget_ms);
  Blocks blocks(*file, search.offset);
  while (true) {
    MUSTER_ASSIGN(const std::string_view block, blocks.Next());
    if (block.empty()) return result;
    matcher.SetBlock(block);
    result.next = SearchBlock(matcher, block, blocks.offset(), search.limit, result.hits);
    if (result.next) return result;
    if (std::chrono::steady_clock::now() >= deadline) {
      result.next = blocks.end();
      return result;
    }
  }
}

}  // namespace muster::api
