#include "base/result.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace muster {

const char* CodeName(Code code) {
  switch (code) {
    case Code::kInvalid:
      return "invalid";
    case Code::kNotFound:
      return "not_found";
    case Code::kExists:
      return "exists";
    case Code::kDenied:
      return "denied";
    case Code::kConflict:
      return "conflict";
    case Code::kTooLarge:
      return "too_large";
    case Code::kTimeout:
      return "timeout";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kNoSpace:
      return "no_space";
    case Code::kIo:
      return "io";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kInternal:
      return "internal";
  }
  return "internal";
}

namespace {

Code CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Code::kNotFound;
    case EEXIST:
      return Code::kExists;
    case EACCES:
    case EPERM:
      return Code::kDenied;
    case ENOSPC:
    case EDQUOT:
      return Code::kNoSpace;
    case ETIMEDOUT:
      return Code::kTimeout;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return Code::kUnavailable;
    default:
      return Code::kIo;
  }
}

}  // namespace

std::unexpected<Error> FailErrno(int error, std::string what) {
  std::string cause = std::generic_category().message(error);
  if (!cause.empty() && cause[0] >= 'A' && cause[0] <= 'Z') cause[0] = char(cause[0] + 32);
  const Code code = CodeOf(error);
  std::string next;
  if (code == Code::kNoSpace) next = "free space on that disk, then try again";
  return std::unexpected(
      Error{code, fmt::format("cannot {}: {}", what, cause), std::move(next), error});
}

}  // namespace muster
