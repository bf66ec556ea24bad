#include "http/response_head.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::http {
namespace {

struct Phrase {
  int status;
  std::string_view text;
};
constexpr Phrase kPhrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {507, "Insufficient Storage"},
};

// Headers that only the server sets.
constexpr std::string_view kOwn[] = {"content-length", "transfer-encoding", "connection", "date",
                                     "server"};

constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Default headers, which a handler may override; an empty value removes the header.
constexpr std::pair<std::string_view, std::string_view> kDefaults[] = {
    {"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};

bool HasDefault(std::string_view name) {
  return std::ranges::any_of(kDefaults, [&](const auto& row) { return SameWord(row.first, name); });
}

bool HasHeader(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(headers,
                             [&](const auto& header) { return SameWord(header.first, name); });
}

bool IsOwn(std::string_view name) {
  return std::ranges::any_of(kOwn, [&](std::string_view own) { return SameWord(own, name); });
}

void AddHeader(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char c : value) head += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? ' ' : c;
  head += "\r\n";
}

bool IsToken(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

std::string_view ReasonPhrase(int status) {
  const auto it = std::ranges::find(kPhrases, status, &Phrase::status);
  return it == std::end(kPhrases) ? "Status" : it->text;
}

std::string HeadWriter::Write(const Response& response, Framing framing, bool keep_alive,
                              std::optional<int64_t> length) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  head.reserve(512);
  for (const auto& [name, value] : response.headers) {
    const bool wanted = !value.empty() || !HasDefault(name);
    if (wanted && IsToken(name) && !IsOwn(name)) AddHeader(head, name, value);
  }
  for (const auto& [name, value] : kDefaults) {
    if (!HasHeader(response.headers, name)) AddHeader(head, name, value);
  }
  AddHeader(head, "Date", Date());
  AddHeader(head, "Server", "muster");
  if (framing == Framing::kLength) {
    AddHeader(head, "Content-Length",
              std::to_string(length.value_or(static_cast<int64_t>(response.body.size()))));
  } else if (framing == Framing::kChunked) {
    AddHeader(head, "Transfer-Encoding", "chunked");
  }
  // Sent in both cases, because HTTP/1.0 clients with keep-alive expect it.
  AddHeader(head, "Connection", keep_alive ? "keep-alive" : "close");
  return head += "\r\n";
}

std::string_view HeadWriter::Date() {
  const int64_t second = clock_.WallMs() / 1000;
  if (second != date_second_) {
    const auto when = static_cast<std::time_t>(second);
    std::tm utc = {};
    ::gmtime_r(&when, &utc);
    date_ =
        fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                    kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
    date_second_ = second;
  }
  return date_;
}

}  // namespace muster::http
