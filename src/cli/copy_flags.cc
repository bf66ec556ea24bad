#include "cli/copy_flags.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/stores.h"
#include "transfer/profile_files.h"

namespace muster::cli {
namespace {

Result<int64_t> SizeFlag(const Args& args, std::string_view name, int64_t fallback) {
  if (!args.Has(name)) return fallback;
  auto size = ParseSize(args.Get(name));
  if (!size || *size <= 0) {
    return Fail(Code::kInvalid, fmt::format("--{}: found {}, expected a size such as 16MiB", name,
                                            ShellQuote(Printable(args.Get(name)))));
  }
  return *size;
}

}  // namespace

std::vector<Flag> CopyFlags(std::vector<Flag> own) {
  const Flag flags[] = {
      {"include", 0, "PATTERN", "only names like this; of several the last that fits decides",
       true},
      {"exclude", 0, "PATTERN", "no names like this", true},
      {"dry-run", 'n', nullptr, "say what would be done, and do nothing"},
      {"jobs", 'j', "COUNT", "so many transfers at once (else 16)"},
      {"bandwidth", 0, "SIZE", "at most so much a second, such as 20MiB"},
      {"part-size", 0, "SIZE", "parts of large objects (else 16MiB)"},
      {"no-resume", 0, nullptr, "keep no record by which a killed copy goes on"},
      {"no-shortcut", 0, nullptr, "send every object by itself, even to a store on this machine"},
      {"verbose", 'v', nullptr, "a line for each object"},
      {"quiet", 'q', nullptr, "no progress and no summary"}};
  own.insert(own.end(), std::begin(flags), std::end(flags));
  return WithStoreFlags(std::move(own));
}

transfer::Filter ReadFilter(const Args& args) {
  transfer::Filter filter;
  for (const auto& [name, pattern] : args.AllOf("include", "exclude")) {
    filter.rules.push_back({name == "include", pattern});
  }
  return filter;
}

Result<transfer::CopyOptions> ReadCopyFlags(const Args& args) {
  transfer::CopyOptions options;
  options.filter = ReadFilter(args);
  options.dry_run = args.Has("dry-run");
  MUSTER_ASSIGN(const auto jobs, args.Int("jobs", 1, 256));
  options.workers = static_cast<int>(jobs.value_or(options.workers));
  MUSTER_ASSIGN(options.bytes_per_second, SizeFlag(args, "bandwidth", 0));
  MUSTER_ASSIGN(options.parts.usual, SizeFlag(args, "part-size", options.parts.usual));
  options.parts.usual = std::max(options.parts.usual, options.parts.least);
  if (args.Has("part-size")) options.parts.whole_up_to = options.parts.usual;
  if (!args.Has("no-resume")) options.record_folder = transfer::DefaultRecordFolder();
  options.shortcut = !args.Has("no-shortcut");
  return options;
}

Result<std::vector<transfer::Location>> ReadLocations(std::span<const std::string> words) {
  std::vector<transfer::Location> locations;
  for (const std::string& word : words) {
    if (word == "-") {
      return Fail(Code::kInvalid, "- is standard input or output, and neither is a place to copy",
                  "name a file; one of that name is ./-");
    }
    MUSTER_ASSIGN(transfer::Location location, transfer::ParseLocation(word));
    locations.push_back(std::move(location));
  }
  return locations;
}

}  // namespace muster::cli
