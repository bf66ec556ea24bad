// muster objects ls and du.
#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/object_verbs.h"
#include "cli/screen.h"

namespace muster::cli {
namespace {

using Entry = transfer::Objects::Entry;

Result<int> ListBuckets(ObjectsCall& call) {
  MUSTER_ASSIGN(const auto buckets, call.objects.Buckets(""));
  Screen& screen = call.context.screen;
  if (call.args.Has("json")) {
    json::array rows;
    for (const auto& bucket : buckets) {
      rows.push_back(json::object{{"name", bucket.name}, {"created_ms", bucket.created_ms}});
    }
    screen.Out(ToPrettyJson(json::object{{"buckets", std::move(rows)}}));
    return 0;
  }
  for (const auto& bucket : buckets) {
    screen.Out(fmt::format("{}  s3://{}\n", WallTime(bucket.created_ms), Printable(bucket.name)));
  }
  if (buckets.empty()) screen.Err("No buckets. Make one with: muster objects mb s3://NAME\n");
  return 0;
}

json::object EntryJson(const Entry& entry) {
  if (entry.is_prefix) return {{"prefix", entry.object.key}};
  return {{"key", entry.object.key},
          {"size", entry.object.size},
          {"modified_ms", entry.object.mtime_ms},
          {"etag", entry.object.etag}};
}

std::string EntryLine(const std::string& bucket, const Entry& entry) {
  const std::string place = Printable(fmt::format("s3://{}/{}", bucket, entry.object.key));
  if (entry.is_prefix) return fmt::format("{:19}  {:>12}  {}\n", "", "folder", place);
  return fmt::format("{}  {:>12}  {}\n", WallTime(entry.object.mtime_ms), entry.object.size, place);
}

// Lists below a place. A name without trailing '/' is also tried as a folder.
Status ListOne(ObjectsCall& call, const transfer::Location& place, json::array& rows,
               int64_t& count) {
  const bool as_json = call.args.Has("json");
  return call.objects.List(place, call.args.Has("recursive"), [&](const Entry& entry) {
    ++count;
    if (as_json) {
      rows.push_back(EntryJson(entry));
      return true;
    }
    return call.context.screen.Out(EntryLine(place.bucket, entry));
  });
}

}  // namespace

Result<int> ListPlaces(ObjectsCall& call) {
  if (call.places.empty()) return ListBuckets(call);
  json::array rows;
  int64_t count = 0;
  for (const transfer::Location& place : call.places) {
    MUSTER_TRY(ListOne(call, place, rows, count));
  }
  if (call.args.Has("json")) {
    call.context.screen.Out(ToPrettyJson(json::object{{"objects", std::move(rows)}}));
  } else if (count == 0) {
    call.context.screen.Err(fmt::format("Nothing there. Put something: muster cp FILE s3://{}/\n",
                                        call.places.front().bucket));
  }
  return 0;
}

Result<int> SumSizes(ObjectsCall& call) {
  json::array rows;
  for (const transfer::Location& place : call.places) {
    int64_t count = 0, bytes = 0;
    MUSTER_TRY(call.objects.List(place, true, [&](const Entry& entry) {
      ++count;
      bytes += entry.object.size;
      return true;
    }));
    rows.push_back(
        json::object{{"place", transfer::Show(place)}, {"objects", count}, {"bytes", bytes}});
    if (!call.args.Has("json")) {
      call.context.screen.Out(fmt::format("{} ({} bytes) in {}  {}\n", HumanSize(bytes), bytes,
                                          Counted(count, "object"), transfer::Show(place)));
    }
  }
  if (call.args.Has("json")) {
    call.context.screen.Out(ToPrettyJson(json::object{{"places", std::move(rows)}}));
  }
  return 0;
}

}  // namespace muster::cli
