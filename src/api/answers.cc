#include "api/answers.h"

#include <fmt/format.h>

namespace muster::api {

http::Response FaultyResponse(const Error& error, const std::vector<Fault>& faults) {
  if (faults.empty()) return http::ErrorResponse(error);
  json::object body{{"code", CodeName(error.code)},
                    {"message", error.text},
                    {"next", error.next},
                    {"faults", FaultsToJson(faults)}};
  return http::JsonResponse(http::StatusOf(error.code), json::object{{"error", std::move(body)}});
}

http::Response EventStreamHead() {
  return {200, {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}}, ""};
}

void AppendEvent(std::string& out, std::string_view event, std::string_view id,
                 std::string_view data) {
  const auto field = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out.append(name).append(": ").append(value).append("\n");
  };
  field("id", id);
  field("event", event);
  field("data", data);
  out += '\n';
}

}  // namespace muster::api
