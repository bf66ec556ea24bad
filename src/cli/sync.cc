#include "cli/copy_flags.h"
#include "cli/copy_screen.h"
#include "cli/stores.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

transfer::Skip WhatToSkip(const Args& args) {
  if (args.Has("checksum")) return transfer::Skip::kSameBytes;
  return args.Has("size-only") ? transfer::Skip::kSameSize : transfer::Skip::kUnchanged;
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto places, ReadLocations(args.words));
  MUSTER_ASSIGN(transfer::CopyOptions options, ReadCopyFlags(args));
  options.recursive = true;
  options.skip = WhatToSkip(args);
  options.delete_extra = args.Has("delete");
  options.delete_all_too = args.Has("force");
  if (places[1].kind == transfer::Location::Kind::kHttp) {
    return Fail(Code::kInvalid, "an http(s) address cannot be kept the same as a folder",
                "use a folder or a bucket");
  }
  const auto stores = OpenStores(context, args);
  CopyScreen screen(context, args);
  MUSTER_ASSIGN(const transfer::Summary summary,
                transfer::Copy(std::span(places).first(1), places[1], options, *stores, screen));
  return screen.Finish(summary);
}

}  // namespace

Verb SyncVerb() {
  return {
      .name = "sync",
      .aliases = {},
      .summary = "Make a folder or prefix the same as another: copy what is new or changed",
      .words = "SOURCE DESTINATION",
      .least_words = 2,
      .most_words = 2,
      .completes = Completes::kFile,
      .flags = CopyFlags(
          {{"delete", 0, nullptr, "remove at the destination what the source does not have"},
           {"force", 'f', nullptr, "with --delete: even when that is everything there"},
           {"size-only", 0, nullptr, "the same size is the same; times do not count"},
           {"checksum", 0, nullptr, "compare checksums instead of times, where both have them"}}),
      .examples = {{"muster sync ckpt s3://bucket/ckpt", "what is new or has changed"},
                   {"muster sync --delete -n data s3://bucket/data",
                    "what would be copied and deleted"}},
      .run = Run};
}

}  // namespace muster::cli
