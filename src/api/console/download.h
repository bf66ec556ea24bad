#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/message.h"

namespace muster::api {

// The head of an answer with a stored file: a download, and never a page of this
// origin, whatever the file holds.
http::Response DownloadHead(std::string_view name, int64_t size);
// The query value "limit": how many bytes of a file of this size to send.
int64_t DownloadLength(const http::Request& request, int64_t size);

}  // namespace muster::api
