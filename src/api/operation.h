#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::api {

inline constexpr std::string_view kPrefix = "/api/v1";

// One value in a path or a query, and what it must look like.
struct Param {
  enum class Kind { kInt, kFlag, kText, kStates, kSha256 };
  std::string name;
  Kind kind = Kind::kText;
  std::string about;
  int64_t min = 0;  // of a number; a text is at most kTextLimit bytes long
  int64_t max = std::numeric_limits<int64_t>::max();
};
inline constexpr size_t kTextLimit = 256;

// One way in which an operation answers well.
struct Answer {
  int status = 200;
  std::string about;
  std::string schema;  // a name in schemas.h; empty: no JSON body
  std::string media = "application/json";
};

// One row of the table that the routes, the checks on what comes in, and the OpenAPI document are
// made of. So the three cannot disagree.
struct Operation {
  std::string method;
  std::string path;  // below kPrefix: "/jobs/{id}"; what stands in braces is a name in PathParam
  std::string id;    // operationId
  std::string summary;
  bool open = false;
  std::vector<Param> query;
  bool takes_key = false;   // header Idempotency-Key
  bool resumes = false;     // header Last-Event-ID
  std::string body;         // a name in schemas.h; empty: no JSON body
  bool body_needed = true;  // else an absent body stands for {}
  bool body_later = false;  // large: the handler reads it, away from the loop
  bool uploads = false;     // the body is bytes, taken as they come
  int64_t body_limit = 0;
  std::vector<Answer> answers;
  // Beside kInvalid, kTooLarge and a wrong token, which every operation refuses.
  std::vector<Code> errors;
};

// The value that a name in braces stands for: {id}, {rank}, {group}, {sha256}.
const Param& PathParam(std::string_view name);
// The names in braces, in order.
std::vector<std::string> PathNames(std::string_view path);

}  // namespace muster::api
