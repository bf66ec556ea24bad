#pragma once

#include <expected>
#include <string>
#include <utility>

namespace muster {

// What callers may branch on. The text of an error is for people and is never compared.
enum class Code {
  kInvalid,      // the caller's input is wrong; the same call will fail again
  kNotFound,     // the named thing does not exist
  kExists,       // the named thing exists already
  kDenied,       // not permitted, or not authenticated
  kConflict,     // the thing is in a state that does not allow this
  kTooLarge,     // above a limit that the text names
  kTimeout,      // a deadline passed
  kUnavailable,  // the other side cannot be reached or is shutting down; trying again may help
  kNoSpace,      // the disk or a quota is full
  kIo,           // the operating system refused; the text has the path and the cause
  kCorrupt,      // stored or received data fails its own check
  kInternal,     // our own mistake
};

// The name that the HTTP API and --json output use for a code, such as "not_found".
const char* CodeName(Code code);

// One failure: which operation on which object, the cause, and what a person can do next.
struct Error {
  Code code = Code::kInternal;
  std::string text;  // "cannot read /x/job.yaml: permission denied"
  std::string next;  // "check the file's owner", or empty
  int sys = 0;       // errno where the system was the cause, else 0
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> Fail(Code code, std::string text, std::string next = {}) {
  return std::unexpected(Error{code, std::move(text), std::move(next), 0});
}

// The one place where errno becomes an Error. `what` names operation and object: "open /x/y".
std::unexpected<Error> FailErrno(int error, std::string what);

}  // namespace muster

// MUSTER_TRY(expr);  MUSTER_ASSIGN(auto x, expr);  return the error of a Result to the caller.
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
