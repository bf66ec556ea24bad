// muster upload: copies a folder to a bucket, from which jobs take it.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/copy_flags.h"
#include "cli/copy_screen.h"
#include "cli/stores.h"
#include "cli/verbs.h"
#include "transfer/objects.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBucket = "uploads";

// The name of the folder as the last component of a URL.
std::string NameOf(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(folder, error);
  const std::string name = (error ? folder : whole).filename().string();
  return name.empty() || name == "." || name == ".." ? "folder" : name;
}

Result<transfer::Location> Destination(const Args& args) {
  const std::string said = args.words.size() > 1
                               ? args.words[1]
                               : fmt::format("s3://{}/{}/", kBucket, NameOf(args.words[0]));
  MUSTER_ASSIGN(transfer::Location to, transfer::ParseLocation(said));
  if (to.kind != transfer::Location::Kind::kObject)
    return Fail(Code::kInvalid, fmt::format("{} is not a place in a bucket", transfer::Show(to)),
                "write s3://BUCKET/PREFIX, or nothing for a place of its own");
  if (!to.key.empty() && !to.key.ends_with('/')) to.key += '/';
  to.names_folder = true;
  return to;
}

Result<transfer::Location> Source(const std::string& word) {
  MUSTER_ASSIGN(const transfer::Location from, transfer::ParseLocation(word));
  std::error_code error;
  if (from.kind == transfer::Location::Kind::kFile && fs::is_directory(from.path, error))
    return from;
  return Fail(Code::kInvalid, fmt::format("{} is no folder of this machine", transfer::Show(from)),
              "upload a folder; muster cp copies everything else");
}

Status MakeBucketIfMissing(const transfer::Location& to, transfer::Stores& stores) {
  transfer::Observer nobody;
  transfer::Objects objects(stores, nobody);
  transfer::Location bucket = to;
  bucket.key.clear();
  const auto made = objects.MakeBucket(bucket);
  if (made || made.error().code == Code::kExists || made.error().code == Code::kConflict) return {};
  return made;
}

void TellNext(Context& context, const Args& args, const transfer::Location& to) {
  const std::string url = transfer::Show(to);
  if (args.Has("json")) return;
  const std::string word = ShellQuote(url);
  context.screen.Out(fmt::format(
      "{}\n  next: muster run --code {} -- python3 train.py   as the code of a job\n"
      "        muster run -i data={} -- python3 train.py   as its data, --data=FOLDER\n",
      url, word, word));
}

// A dry run creates no bucket and cannot list a missing one.
Result<bool> LacksBucket(const transfer::Location& to, transfer::Stores& stores) {
  transfer::Observer nobody;
  transfer::Objects objects(stores, nobody);
  const Status listed = objects.List(to, false, [](const auto&) { return false; });
  if (listed) return false;
  if (listed.error().code == Code::kNotFound) return true;
  return std::unexpected(listed.error());
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const transfer::Location from, Source(args.words[0]));
  MUSTER_ASSIGN(const transfer::Location to, Destination(args));
  MUSTER_ASSIGN(transfer::CopyOptions options, ReadCopyFlags(args));
  options.recursive = true;
  options.skip = transfer::Skip::kSameBytes;
  const auto stores = OpenStores(context, args);
  bool lacks = false;
  if (!options.dry_run) {
    MUSTER_TRY(MakeBucketIfMissing(to, *stores));
  } else {
    MUSTER_ASSIGN(lacks, LacksBucket(to, *stores));
    if (lacks) options.skip = transfer::Skip::kNever;
  }
  CopyScreen screen(context, args);
  MUSTER_ASSIGN(transfer::Summary summary,
                transfer::Copy({&from, 1}, to, options, *stores, screen));
  if (lacks) summary.notes.push_back("would make the bucket s3://" + to.bucket);
  const int code = screen.Finish(summary);
  if (code == 0 && !options.dry_run) TellNext(context, args, to);
  return code;
}

}  // namespace

Verb UploadVerb() {
  return {.name = "upload",
          .aliases = {},
          .summary = "Put a folder into a bucket, for jobs to take it from",
          .words = "FOLDER [s3://BUCKET/PREFIX]",
          .least_words = 1,
          .most_words = 2,
          .completes = Completes::kFolder,
          .flags = CopyFlags({}),
          .examples = {{"muster upload resnet50", "to s3://uploads/resnet50/; what is there stays"},
                       {"muster upload cifar-10 s3://ms-dataset/cifar-10",
                        "the bucket is made where it is missing"}},
          .run = Run};
}

}  // namespace muster::cli
