#pragma once

#include <string>
#include <utility>

#include "http/message.h"

namespace muster::objects {

inline http::Response XmlResponse(std::string document, int status = 200) {
  return {status, {{"Content-Type", "application/xml"}}, std::move(document)};
}

// Clients see one owner for all objects and buckets.
inline constexpr const char* kOwnerId = "muster";

}  // namespace muster::objects
