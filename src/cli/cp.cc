#include "cli/copy_flags.h"
#include "cli/copy_screen.h"
#include "cli/stores.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

Result<int> Run(Context& context, const Args& args) {
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
                       {"muster cp -r --profile obs s3://bucket/out results",
                        "from the store of a profile"},
                       {"muster cp https://host/file.tar s3://bucket/", "without a stop here"}},
          .run = Run};
}

}  // namespace muster::cli
