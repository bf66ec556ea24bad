#pragma once

#include "http/router.h"
#include "lifecycle/conductor.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::api {

// What the file routes work with; all of it outlives the router.
struct JobFileParts {
  const lifecycle::Conductor& conductor;
  os::Loop& loop;
  os::Pool& pool;
};

// Adds the routes by which the web console shows the files in the output folders of jobs. Links are
// not followed, so that nothing in an output folder leads out of it.
void AddJobFileRoutes(http::Router& router, JobFileParts parts);

}  // namespace muster::api
