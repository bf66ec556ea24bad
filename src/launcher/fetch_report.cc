#include "launcher/fetch_report.h"

#include "base/json.h"
#include "model/pairs.h"

namespace muster::launcher {

os::Path FetchReportPath(const os::Path& node_dir) { return node_dir / "fetch.json"; }

Status WriteFetchReport(const os::Path& node_dir, const FetchReport& report) {
  const json::object object{{"progress", report.progress},
                            {"notes", WordsToJson(report.notes)},
                            {"keys", WordsToJson(report.keys)},
                            {"error", report.error}};
  return os::WriteFileAtomic(FetchReportPath(node_dir), ToPrettyJson(object), 0644, false);
}

Result<FetchReport> ReadFetchReport(const os::Path& node_dir) {
  MUSTER_ASSIGN(const std::string text, os::ReadFile(FetchReportPath(node_dir), 1 << 20));
  MUSTER_ASSIGN(const json::value value, ParseJson(text));
  const json::object* object = value.if_object();
  if (object == nullptr) return Fail(Code::kCorrupt, "fetch.json is no JSON object");
  return FetchReport{.progress = std::string(GetString(*object, "progress")),
                     .notes = WordsFromJson(GetArray(*object, "notes")),
                     .keys = WordsFromJson(GetArray(*object, "keys")),
                     .error = std::string(GetString(*object, "error"))};
}

}  // namespace muster::launcher
