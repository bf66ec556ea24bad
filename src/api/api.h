#pragma once

#include <functional>
#include <string>

#include "http/router.h"
#include "lifecycle/conductor.h"
#include "os/file_watch.h"
#include "os/loop.h"
#include "os/pool.h"
#include "store/code_store.h"
#include "store/journal.h"

namespace muster::api {

// The objects that the API uses. All of them outlive the router and the server's connections.
struct ApiParts {
  lifecycle::Conductor& conductor;
  store::Journal& journal;
  store::CodeStore& code;
  os::Loop& loop;
  os::FileWatch& files;
  os::Pool& pool;
  std::string version, commit, build_date;
  std::function<void()> shutdown;  // shuts the server down; jobs continue
};

// Adds every route below /api/v1 to the router. Handlers run on the loop.
void AddRoutes(http::Router& router, ApiParts& parts);

}  // namespace muster::api
