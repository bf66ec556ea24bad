#pragma once

#include <string>
#include <utility>

#include "http/message.h"

namespace muster::objects {

inline http::Response XmlResponse(std::string document, int status = 200) {
  return {status, {{"Content-Type", "application/xml"}}, std::move(document)};
}

// Every account of the store is the same owner to clients.
inline constexpr const char* kOwnerId = "muster";

}  // namespace muster::objects
