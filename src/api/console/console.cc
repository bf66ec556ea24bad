#include "api/console/console.h"

#include <memory>

#include <fmt/format.h>

#include "api/console/bundle.h"
#include "base/json.h"
#include "base/text.h"

namespace muster::api {
namespace {

constexpr int64_t kSmallBody = 4 << 10;
constexpr size_t kLongestPath = 1000;

// Paths that the single page of the console shows; the page itself reads the rest of the address.
constexpr std::string_view kPages[] = {"/",        "/jobs",    "/jobs/{id}", "/new",   "/nodes",
                                       "/buckets", "/compare", "/settings",  "/signin"};

// Scripts, styles and connections come from this server alone; nothing inline is run.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view kMissing =
    "This build of Muster has no web console: npm was not found, or the console could not be "
    "built.\n"
    "Install Node.js 18 or later with npm, run `make build`, and start the server again.\n"
    "The command line and the HTTP API (/api/v1) work without it.\n";

bool Accepts(const http::Request& request, std::string_view encoding) {
  for (const std::string& part : Split(http::FindHeader(request.headers, "Accept-Encoding"), ',')) {
    const std::vector<std::string> words = Split(part, ';');
    if (!SameWord(Trim(words[0]), encoding)) continue;
    const std::string_view weight = words.size() > 1 ? Trim(words[1]) : std::string_view();
    return weight != "q=0" && !weight.starts_with("q=0.0");
  }
  return false;
}

http::Response Serve(const Asset& asset, const http::Request& request) {
  http::Response response{200, {{"Content-Type", asset.type}, {"Vary", "Accept-Encoding"}}, {}};
  if (Accepts(request, "br")) {
    response.headers.emplace_back("Content-Encoding", "br");
    response.body = asset.brotli;
  } else if (Accepts(request, "gzip")) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = asset.gzip;
  } else {
    response.body = asset.plain;
  }
  return response;
}

void AddGet(http::Router& router, std::string pattern, http::Handler handler) {
  router.Add({.method = "GET",
              .pattern = std::move(pattern),
              .open = true,
              .handler = std::move(handler)});
}

http::Response PageResponse(const Asset& index, const http::Request& request) {
  http::Response response = Serve(index, request);
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  return response;
}

void AddPages(http::Router& router, const std::shared_ptr<const Bundle>& bundle) {
  for (const std::string_view page : kPages)
    AddGet(router, std::string(page), [bundle](const http::Request& request, http::Reply reply) {
      const auto index = bundle->find("index.html");
      if (index != bundle->end()) return reply.Send(PageResponse(index->second, request));
      reply.Send({404, {{"Content-Type", "text/plain; charset=utf-8"}}, std::string(kMissing)});
    });
}

// Names with a hash of the content never change, so browsers keep them for a year.
void AddFiles(http::Router& router, const std::shared_ptr<const Bundle>& bundle) {
  for (const auto& [path, asset] : *bundle) {
    if (path == "index.html") continue;
    const bool hashed = path.starts_with("assets/");
    AddGet(router, "/" + path, [&asset, hashed, bundle](const auto& request, http::Reply reply) {
      http::Response response = Serve(asset, request);
      response.headers.emplace_back("Cache-Control",
                                    hashed ? "public, max-age=31536000, immutable" : "no-cache");
      reply.Send(std::move(response));
    });
  }
}

// The text member of a small JSON object; an empty text when there is none.
std::string Member(const http::Request& request, std::string_view name) {
  const auto body = ParseJson(request.body);
  return body && body->is_object() ? std::string(GetString(body->get_object(), name)) : "";
}

void SignIn(Sessions& sessions, const http::Request& request, http::Reply reply) {
  if (!sessions.IsToken(Trim(Member(request, "token")))) {
    http::Response refusal = http::ErrorResponse(
        {Code::kDenied, "the token is not the token of this server",
         "run 'muster open' for a link that signs in, or copy the token from endpoint.json"});
    refusal.status = 401;
    return reply.Send(std::move(refusal));
  }
  reply.Send({204, {{"Set-Cookie", sessions.NewCookie(request)}}, {}});
}

// A path of this console, not the address of another site.
bool IsConsolePath(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") && path.size() <= kLongestPath &&
         path.find_first_of("\\\r\n") == path.npos;
}

void AddLink(Sessions& sessions, const http::Request& request, http::Reply reply) {
  std::string path = Member(request, "path");
  if (path.empty()) path = "/";
  if (!IsConsolePath(path))
    return reply.Send(http::ErrorResponse(
        {Code::kInvalid, "path is not a path of the console", "send one such as /jobs/17"}));
  const std::string code = sessions.AddLink(std::move(path));
  reply.Send(http::JsonResponse(201, json::object{{"path", fmt::format("/enter/{}", code)},
                                                  {"valid_ms", Sessions::kLinkLifeMs}}));
}

// HEAD, which previews of links use, does not use a link up.
void Enter(Sessions& sessions, const http::Request& request, http::Reply reply) {
  if (request.method == "HEAD") return reply.Send({204, {}, {}});
  const auto path = sessions.TakeLink(std::string(request.Param("code")));
  http::Response response{303, {{"Location", path.value_or("/signin?link=expired")}}, {}};
  if (path) response.headers.emplace_back("Set-Cookie", sessions.NewCookie(request));
  reply.Send(std::move(response));
}

void AddSignIn(http::Router& router, Sessions& sessions) {
  router.Add({.method = "POST",
              .pattern = "/api/v1/console/session",
              .open = true,
              .body_limit = kSmallBody,
              .handler = [&](const http::Request& request, http::Reply reply) {
                SignIn(sessions, request, std::move(reply));
              }});
  router.Add({.method = "DELETE",
              .pattern = "/api/v1/console/session",
              .handler = [&](const http::Request& request, http::Reply reply) {
                reply.Send({204, {{"Set-Cookie", sessions.RemovalCookie(request)}}, {}});
              }});
  router.Add({.method = "POST",
              .pattern = "/api/v1/console/links",
              .body_limit = kSmallBody,
              .handler = [&](const http::Request& request, http::Reply reply) {
                AddLink(sessions, request, std::move(reply));
              }});
  AddGet(router, "/enter/{code}", [&](const http::Request& request, http::Reply reply) {
    Enter(sessions, request, std::move(reply));
  });
}

}  // namespace

Status AddConsole(http::Router& router, Sessions& sessions, std::string_view packed) {
  MUSTER_ASSIGN(Bundle files, ReadBundle(packed));
  const auto bundle = std::make_shared<const Bundle>(std::move(files));
  AddPages(router, bundle);
  AddFiles(router, bundle);
  AddSignIn(router, sessions);
  return {};
}

}  // namespace muster::api
