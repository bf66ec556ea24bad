#pragma once

#include "http/router.h"
#include "objects/s3_server.h"
#include "os/loop.h"
#include "os/pool.h"

namespace muster::api {

// What the bucket routes work with; all of it outlives the router.
struct BucketParts {
  objects::S3Server& server;
  os::Loop& loop;
  os::Pool& pool;
};

// Adds the routes by which the web console shows and changes the buckets of the server's own store:
// a browser that is signed in to the server has no keys of the store.
void AddBucketRoutes(http::Router& router, BucketParts parts);

}  // namespace muster::api
