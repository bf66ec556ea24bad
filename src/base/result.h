#pragma once

#include <expected>
#include <string>
#include <utility>

namespace muster {

// The codes that callers may branch on. The text of an error is for people; code never compares it.
enum class Code {
  kInvalid,      // the input is wrong; the same call fails again
  kNotFound,     // the named object does not exist
  kExists,       // the named object exists already
  kDenied,       // not permitted, or not authenticated
  kConflict,     // the state of the object does not allow the operation
  kTooLarge,     // above a limit that the text names
  kTimeout,      // a deadline passed
  kUnavailable,  // the peer is unreachable or shutting down; a retry may succeed
  kNoSpace,      // the disk or a quota is full
  kIo,           // the operating system failed; the text has the path and the cause
  kCorrupt,      // stored or received data fails its integrity check
  kInternal,     // a fault of this program
};

// The name of a code in the HTTP API and in --json output, such as "not_found".
const char* CodeName(Code code);

// A failure: the operation and its object, the cause, and what a person can do next.
struct Error {
  Code code = Code::kInternal;
  std::string text;  // "cannot read /x/job.yaml: permission denied"
  std::string next;  // "check the file's owner", or empty
  int sys = 0;       // errno if a system call failed, else 0
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> Fail(Code code, std::string text, std::string next = {}) {
  return std::unexpected(Error{code, std::move(text), std::move(next), 0});
}

// The only place that converts errno to an Error. `what` names operation and object: "open /x/y".
std::unexpected<Error> FailErrno(int error, std::string what);

}  // namespace muster

// MUSTER_TRY(expr) and MUSTER_ASSIGN(auto x, expr) return the error of a Result to the caller.
#define MUSTER_CONCAT_(a, b) a##b
#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_(a, b)
#define MUSTER_TRY(...)                                         \
  do {                                                          \
    if (auto muster_status = (__VA_ARGS__); !muster_status)     \
      return std::unexpected(std::move(muster_status).error()); \
  } while (false)
#define MUSTER_ASSIGN_(tmp, lhs, ...)                       \
  auto tmp = (__VA_ARGS__);                                 \
  if (!tmp) return std::unexpected(std::move(tmp).error()); \
  lhs = std::move(*tmp)
#define MUSTER_ASSIGN(lhs, ...) \
  MUSTER_ASSIGN_(MUSTER_CONCAT(muster_result_, __LINE__), lhs, __VA_ARGS__)
