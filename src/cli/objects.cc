#include <fmt/format.h>

#include "base/text.h"
#include "cli/copy_flags.h"
#include "cli/object_verbs.h"
#include "cli/stores.h"
#include "cli/verbs.h"

namespace muster::cli {
namespace {

struct Row {
  std::string_view word;
  size_t least_places;
  Result<int> (*run)(ObjectsCall& call);
  bool takes_places = true;
};
constexpr Row kRows[] = {
    {"ls", 0, ListPlaces},    {"rm", 1, RemoveObjects},    {"mb", 1, MakeBuckets},
    {"rb", 1, RemoveBuckets}, {"cat", 1, PrintObjects},    {"du", 1, SumSizes},
    {"stat", 1, ShowObjects}, {"presign", 1, SignAddress}, {"key", 0, ManageKeys, false}};

Result<const Row*> FindRow(const std::string& word) {
  std::vector<std::string_view> words;
  for (const Row& row : kRows) {
    if (row.word == word) return &row;
    words.push_back(row.word);
  }
  const std::string_view meant = DidYouMean(word, words);
  return Fail(Code::kInvalid, fmt::format("nothing is called \"{}\" here", Printable(word)),
              meant.empty() ? "use ls, rm, mb, rb, cat, du, stat, presign or key"
                            : fmt::format("did you mean \"{}\"?", meant));
}

Result<int> Run(Context& context, const Args& args) {
  MUSTER_ASSIGN(const Row* const row, FindRow(args.words[0]));
  std::vector<transfer::Location> places;
  if (row->takes_places) {
    MUSTER_ASSIGN(places, ReadLocations(std::span(args.words).subspan(1)));
  }
  if (places.size() < row->least_places) {
    return Fail(Code::kInvalid, fmt::format("objects {}: which one is missing", row->word),
                fmt::format("muster objects {} s3://BUCKET/KEY", row->word));
  }
  for (const transfer::Location& place : places) {
    if (place.kind == transfer::Location::Kind::kObject) continue;
    return Fail(Code::kInvalid, fmt::format("{} is not a place in a bucket", transfer::Show(place)),
                "write s3://BUCKET/KEY or obs://BUCKET/KEY");
  }
  const auto stores = OpenStores(context, args);
  transfer::Observer nobody;
  transfer::Objects objects(*stores, nobody);
  ObjectsCall call{context, args, std::move(places), *stores, objects};
  return row->run(call);
}

}  // namespace

std::vector<std::string_view> ObjectVerbNames() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.word);
  return names;
}

Verb ObjectsVerb() {
  return {.name = "objects",
          .aliases = {"obs"},
          .summary = "Look at and change what is in buckets",
          .words = "ls|rm|mb|rb|cat|du|stat|presign|key [s3://BUCKET/KEY...]",
          .least_words = 1,
          .most_words = -1,
          .completes = Completes::kObjectVerb,
          .flags = WithStoreFlags(
              {{"recursive", 'r', nullptr, "ls, rm: all below a prefix"},
               {"include", 0, "PATTERN", "rm -r: only names like this", true},
               {"exclude", 0, "PATTERN", "rm -r: no names like this", true},
               {"dry-run", 'n', nullptr, "rm: say what would be deleted"},
               {"force", 'f', nullptr, "rm -r of a whole bucket; rb of one that is not empty"},
               {"offset", 0, "BYTES", "cat: begin there"},
               {"length", 0, "BYTES", "cat: so many"},
               {"expires", 0, "TIME", "presign: for so long, at most 7 days (else 1h)"},
               {"method", 0, "METHOD", "presign: GET or PUT (else GET)"},
               {"read", 0, "PLACE", "key add: may read what is below it (\"*\": all)", true},
               {"write", 0, "PLACE", "key add: may read and write what is below it", true}}),
          .examples = {{"muster objects ls", "the buckets"},
                       {"muster objects mb s3://ms-dataset", "a new one"},
                       {"muster objects ls -r s3://ms-dataset/cifar-10", "everything below"},
                       {"muster objects du s3://ms-dataset", "how many objects, how large"},
                       {"muster objects presign s3://ms-dataset/x --expires 2h",
                        "an address for somebody without a key"},
                       {"muster objects key add ann --read s3://ms-dataset --write s3://ann",
                        "a key pair for a user; \"key ls\" shows all, \"key rm\" revokes one"}},
          .run = Run};
}

}  // namespace muster::cli
