#include "cli/copy_flags.h"
#include "cli/copy_screen.h"
#include "cli/object_verbs.h"
#include "cli/stores.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

// As in other copiers, "-" is standard output.
Result<int> Print(Context& context, const Args& args) {
  MUSTER_ASSIGN(const auto places,
                ReadLocations(std::span(args.words).first(args.words.size() - 1)));
  MUSTER_ASSIGN(transfer::CopyOptions options, ReadCopyFlags(args));
  const bool one = places.size() == 1 && places[0].kind == transfer::Location::Kind::kObject &&
                   !places[0].names_folder;
  if (!one || args.Has("recursive") || args.Has("dry-run") || args.Has("json")) {
    return Fail(Code::kInvalid, "- is standard output, and takes the bytes of one object alone",
                "muster cp s3://BUCKET/KEY -, or muster objects cat s3://BUCKET/KEY; a file of "
                "that name is ./-");
  }
  const auto stores = OpenStores(context, args);
  transfer::Observer nobody;
  transfer::Objects objects(*stores, nobody, std::move(options));
  return PrintBytes(context.screen, objects, places[0]);
}

Result<int> Run(Context& context, const Args& args) {
  if (args.words.back() == "-") return Print(context, args);
  MUSTER_ASSIGN(auto places, ReadLocations(args.words));
  MUSTER_ASSIGN(transfer::CopyOptions options, ReadCopyFlags(args));
  options.recursive = args.Has("recursive");
  const transfer::Location destination = std::move(places.back());
  places.pop_back();
  const auto stores = OpenStores(context, args);
  CopyScreen screen(context, args);
  MUSTER_ASSIGN(const transfer::Summary summary,
                transfer::Copy(places, destination, options, *stores, screen));
  return screen.Finish(summary);
}

}  // namespace

Verb CpVerb() {
  return {.name = "cp",
          .aliases = {},
          .summary = "Copy between files, buckets (s3://, obs://) and http(s) addresses",
          .words = "SOURCE... DESTINATION",
          .least_words = 2,
          .most_words = -1,
          .completes = Completes::kFile,
          .flags = CopyFlags({{"recursive", 'r', nullptr,
                               "all below a folder or a prefix, under the same names"}}),
          .examples = {{"muster cp -r data s3://ms-dataset/cifar-10", "the content of a folder"},
                       {"muster cp obs://ms-dataset/cifar-10/batch.bin .", "into this folder"},
                       {"muster cp s3://bucket/log.gz - | zcat", "to standard output"},
                       {"muster cp -r --profile obs s3://bucket/out results",
                        "from the store of a profile"},
                       {"muster cp https://host/file.tar s3://bucket/",
                        "straight from the source to the bucket, with no copy on this disk"}},
          .run = Run};
}

}  // namespace muster::cli
