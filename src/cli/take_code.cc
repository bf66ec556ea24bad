#include "cli/take_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "cli/named_files.h"
#include "cli/snapshot.h"
#include "cli/upload.h"
#include "model/source.h"

namespace muster::cli {
namespace {

constexpr size_t kShownDigits = 12;

Result<SnapshotOptions> ReadOptions(const Args& args) {
  SnapshotOptions options;
  if (!args.Has("code-limit")) return options;
  auto limit = ParseSize(args.Get("code-limit"));
  if (!limit) return Fail(Code::kInvalid, fmt::format("--code-limit: {}", limit.error().text));
  options.limit = *limit;
  return options;
}

bool Has(const Snapshot& snapshot, const std::string& path) {
  const auto at = std::ranges::lower_bound(snapshot.files, path, {}, &SnapshotFile::path);
  return at != snapshot.files.end() && at->path == path;
}

// kInvalid when the snapshot lacks `path`, which `needed_by` names.
Status CheckSent(const Snapshot& snapshot, const std::string& path, const std::string& needed_by) {
  if (Has(snapshot, path)) return {};
  // A path that goes through a symbolic link stands in the snapshot under another name.
  MUSTER_ASSIGN(const std::string excluded, ExcludedPart(snapshot.root, path));
  if (excluded.empty()) return {};
  return Fail(
      Code::kInvalid,
      fmt::format("{} {}, but {} is left out of the code that is sent from {}", needed_by,
                  Printable(path), Printable(excluded), Printable(snapshot.root.string())),
      fmt::format("add the line {} to {}/.musterignore to send it, or name the file by its "
                  "absolute path",
                  ShellQuote("!/" + Printable(excluded)), Printable(snapshot.root.string())));
}

// The files that the commands name, and the modules that their scripts import from the folder.
Status CheckNamedFiles(const Snapshot& snapshot, const std::vector<std::string>& named_files) {
  for (const std::string& file : named_files) {
    MUSTER_TRY(CheckSent(snapshot, file, "the command names"));
    if (!file.ends_with(".py")) continue;
    for (const std::string& module : FindOwnModules(snapshot.root, file))
      MUSTER_TRY(CheckSent(snapshot, module, fmt::format("{} imports", Printable(file))));
  }
  return {};
}

}  // namespace

Result<std::string> TakeCode(Context& context, Api& api, const Args& args, const JobInput& input) {
  if (input.code.empty()) {
    context.screen.Err(fmt::format("code: none is sent ({})\n", input.code_reason));
    return "";
  }
  if (IsFar(input.code)) {
    context.screen.Err(fmt::format("code: {}, which every node fetches\n", Printable(input.code)));
    return "";
  }
  MUSTER_ASSIGN(const SnapshotOptions options, ReadOptions(args));
  MUSTER_ASSIGN(Snapshot snapshot, ScanFolder(input.code, options));
  MUSTER_TRY(CheckNamedFiles(snapshot, input.named_files));
  MUSTER_TRY(HashFiles(snapshot, options));
  MUSTER_ASSIGN(const Uploaded uploaded, UploadCode(api, snapshot));
  for (const std::string& note : snapshot.notes)
    context.screen.Err(fmt::format("code: {}\n", note));
  const std::string reason =
      input.code_reason.empty() ? "" : fmt::format(" ({})", input.code_reason);
  context.screen.Err(fmt::format("code: {}{}: {}, {}, snapshot {}, {} new\n", Printable(input.code),
                                 reason, Counted(int64_t(snapshot.files.size()), "file"),
                                 HumanSize(snapshot.bytes), uploaded.hash.substr(0, kShownDigits),
                                 Counted(int64_t(uploaded.new_files), "file")));
  return uploaded.hash;
}

}  // namespace muster::cli
