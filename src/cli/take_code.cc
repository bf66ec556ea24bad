#include "cli/take_code.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
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

}  // namespace

Result<std::string> TakeCode(Context& context, Api& api, const Args& args, const JobInput& input) {
  if (!input.note.empty()) context.screen.Err(fmt::format("code: {}\n", input.note));
  if (input.code.empty()) return "";
  if (IsFar(input.code)) {
    context.screen.Err(fmt::format("code: {}  every node fetches it\n", Printable(input.code)));
    return "";
  }
  MUSTER_ASSIGN(const SnapshotOptions options, ReadOptions(args));
  MUSTER_ASSIGN(Snapshot snapshot, ScanFolder(input.code, options));
  MUSTER_TRY(HashFiles(snapshot, options));
  MUSTER_ASSIGN(const Uploaded uploaded, UploadCode(api, snapshot));
  for (const std::string& note : snapshot.notes)
    context.screen.Err(fmt::format("code: {}\n", note));
  context.screen.Err(fmt::format(
      "code: {}  {}, {}, snapshot {}, {} new\n", Printable(input.code_said),
      Counted(int64_t(snapshot.files.size()), "file"), HumanSize(snapshot.bytes),
      uploaded.hash.substr(0, kShownDigits), Counted(int64_t(uploaded.new_files), "file")));
  return uploaded.hash;
}

}  // namespace muster::cli
