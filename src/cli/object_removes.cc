// muster objects mb, rb and rm.
#include <fmt/format.h>

#include "base/counted.h"
#include "cli/copy_flags.h"
#include "cli/object_verbs.h"
#include "cli/screen.h"
#include "transfer/remove.h"

namespace muster::cli {
namespace {

// Prints a line per removed object.
class RemoveScreen final : public transfer::Observer {
 public:
  RemoveScreen(Screen& screen, bool shown) : screen_(screen), shown_(shown) {}
  void Did(const transfer::Deed& deed) override {
    const bool would = deed.kind == transfer::Deed::Kind::kWouldDelete;
    if (shown_) {
      screen_.Out(fmt::format("{} {}\n", would ? "would delete" : "deleted", deed.destination));
    }
  }

 private:
  Screen& screen_;
  const bool shown_;
};

Status CheckBucket(const transfer::Location& place) {
  if (place.key.empty()) return {};
  return Fail(Code::kInvalid, fmt::format("{} is no bucket", transfer::Show(place)),
              fmt::format("write s3://{}", place.bucket));
}

void Tell(ObjectsCall& call, std::string_view name, json::value what, const std::string& words) {
  if (call.args.Has("json")) {
    call.context.screen.Out(ToPrettyJson(json::object{{name, std::move(what)}}));
  } else {
    call.context.screen.Out(words);
  }
}

}  // namespace

Result<int> MakeBuckets(ObjectsCall& call) {
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(CheckBucket(place));
    MUSTER_TRY(call.objects.MakeBucket(place));
    Tell(call, "made", json::string(place.bucket),
         fmt::format("made s3://{}; fill it with: muster cp -r FOLDER s3://{}\n", place.bucket,
                     place.bucket));
  }
  return 0;
}

Result<int> RemoveBuckets(ObjectsCall& call) {
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(CheckBucket(place));
    RemoveScreen nobody(call.context.screen, false);
    int64_t count = 0;
    if (call.args.Has("force")) {
      MUSTER_ASSIGN(count, transfer::Remove(place, {.recursive = true}, call.stores, nobody));
    }
    MUSTER_TRY(call.objects.RemoveBucket(place));
    Tell(call, "removed", json::string(place.bucket),
         fmt::format("removed s3://{} with {}\n", place.bucket, Counted(count, "object")));
  }
  return 0;
}

Result<int> RemoveObjects(ObjectsCall& call) {
  transfer::RemoveOptions options{.recursive = call.args.Has("recursive"),
                                  .filter = ReadFilter(call.args),
                                  .dry_run = call.args.Has("dry-run")};
  int64_t count = 0;
  RemoveScreen screen(call.context.screen, !call.args.Has("json"));
  for (const transfer::Location& place : call.places) {
    const bool everything = place.key.empty() && options.filter.rules.empty();
    if (place.key.empty() && !options.recursive) {
      return Fail(Code::kInvalid, fmt::format("{} is a bucket", transfer::Show(place)),
                  fmt::format("muster objects rb s3://{}", place.bucket));
    }
    if (everything && !options.dry_run && !call.args.Has("force")) {
      return Fail(Code::kConflict,
                  fmt::format("everything in s3://{} would be deleted", place.bucket),
                  "look first with -n; if that is meant, say so with --force");
    }
    MUSTER_ASSIGN(const int64_t gone, transfer::Remove(place, options, call.stores, screen));
    count += gone;
  }
  Tell(call, options.dry_run ? "would_delete" : "deleted", count,
       fmt::format("{} {}\n", options.dry_run ? "would delete" : "deleted",
                   Counted(count, "object")));
  return 0;
}

}  // namespace muster::cli
