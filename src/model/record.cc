#include "model/record.h"

#include <charconv>

#include <fmt/format.h>

#include "base/crc32c.h"
#include "model/pairs.h"

namespace muster {
namespace {

std::string Frame(const json::object& object) {
  const std::string text = ToJson(object);
  return fmt::format("{:08x} {}\n", Crc32c(text), text);
}

// Calls take(object) for each complete line. Returns the processed length, or kCorrupt with the
// position.
template <typename Take>
Result<size_t> EachLine(std::string_view bytes, Take take) {
  size_t at = 0;
  while (true) {
    const size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) return at;
    const std::string_view line = bytes.substr(at, end - at);
    if (line.empty()) {
      at = end + 1;
      continue;
    }
    uint32_t sum = 0;
    const auto bad = [&](std::string_view why) {
      return Fail(Code::kCorrupt, fmt::format("line at byte {} {}", at, why));
    };
    if (line.size() < 10 || line[8] != ' ') return bad("is not framed as <sum> <json>");
    const auto [stop, error] = std::from_chars(line.data(), line.data() + 8, sum, 16);
    if (error != std::errc() || stop != line.data() + 8) return bad("has no check sum");
    const std::string_view text = line.substr(9);
    if (Crc32c(text) != sum) return bad("fails its check sum");
    auto value = ParseJson(text);
    if (!value || !value->is_object()) return bad("is not a JSON object");
    at = end + 1;
    take(value->get_object(), at);
  }
}

struct Encoder {
  json::object& out;

  void operator()(const LauncherBegan& body) {
    out["type"] = "launcher_began";
    out["token"] = body.token;
    out["pid"] = body.pid;
    out["start_ticks"] = body.start_ticks;
    out["host"] = body.host;
    out["cgroup"] = body.cgroup;
    out["notes"] = WordsToJson(body.notes);
    out["boot"] = body.boot;
  }
  void operator()(const StageDone& body) {
    out["type"] = "stage_done";
    out["files"] = body.files;
    out["bytes"] = body.bytes;
    out["ms"] = body.ms;
  }
  void operator()(const StageNote& body) {
    out["type"] = "stage_note";
    out["text"] = body.text;
    if (body.progress) out["progress"] = true;
  }
  void operator()(const GangNote& body) {
    out["type"] = "gang_note";
    out["text"] = body.text;
    out["apart"] = body.apart;
  }
  void operator()(const RankStarted& body) {
    out["type"] = "rank_started";
    out["rank"] = body.rank;
    out["pid"] = body.pid;
    out["start_ticks"] = body.start_ticks;
  }
  void operator()(const RankEnded& body) {
    out["type"] = "rank_ended";
    out["rank"] = body.rank;
    out["exit"] = ToJsonObject(body.exit);
  }
  void operator()(const NodeFailed& body) {
    out["type"] = "node_failed";
    out["rank"] = body.rank;
    out["exit"] = ToJsonObject(body.exit);
    out["what"] = body.what;
  }
  void operator()(const StopBegan& body) {
    out["type"] = "stop_began";
    out["by"] = Name(body.by);
    out["detail"] = body.detail;
  }
  void operator()(const WarningSent& body) {
    out["type"] = "warning_sent";
    out["signal"] = body.signal;
    out["left_ms"] = body.left_ms;
  }
  void operator()(const NodeClean& body) {
    out["type"] = "node_clean";
    out["found"] = body.found;
    out["killed"] = body.killed;
    out["left"] = body.left;
    out["took_ms"] = body.took_ms;
    out["names"] = WordsToJson(body.names);
  }
  void operator()(const LauncherEnded& body) {
    out["type"] = "launcher_ended";
    out["failed"] = body.failed;
  }
};

ExitReport ExitOf(const json::object& object) {
  const auto* exit = GetObject(object, "exit");
  return exit == nullptr ? ExitReport{} : ExitReportFromJson(*exit);
}

// An unknown type yields nothing: a newer launcher may write more types.
std::optional<RecordBody> BodyFromJson(const json::object& object) {
  const auto number = [&](std::string_view key) { return int(GetInt(object, key)); };
  const auto text = [&](std::string_view key) { return std::string(GetString(object, key)); };
  const std::string_view type = GetString(object, "type");
  if (type == "launcher_began")
    return LauncherBegan{text("token"), number("pid"),  uint64_t(GetInt(object, "start_ticks")),
                         text("host"),  text("cgroup"), WordsFromJson(GetArray(object, "notes")),
                         text("boot")};
  if (type == "stage_done")
    return StageDone{GetInt(object, "files"), GetInt(object, "bytes"), GetInt(object, "ms")};
  if (type == "stage_note") return StageNote{text("text"), GetBool(object, "progress")};
  if (type == "gang_note") return GangNote{text("text"), GetBool(object, "apart")};
  if (type == "rank_started")
    return RankStarted{number("rank"), number("pid"), uint64_t(GetInt(object, "start_ticks"))};
  if (type == "rank_ended") return RankEnded{number("rank"), ExitOf(object)};
  if (type == "node_failed") return NodeFailed{number("rank"), ExitOf(object), text("what")};
  if (type == "stop_began") return StopBegan{StoppedByFromName(text("by")), text("detail")};
  if (type == "warning_sent") return WarningSent{text("signal"), GetInt(object, "left_ms")};
  if (type == "node_clean")
    return NodeClean{number("found"), number("killed"), number("left"), GetInt(object, "took_ms"),
                     WordsFromJson(GetArray(object, "names"))};
  if (type == "launcher_ended") return LauncherEnded{GetBool(object, "failed")};
  return std::nullopt;
}

}  // namespace

std::string EncodeRecordLine(const RecordLine& line) {
  json::object object{{"wall_ms", line.wall_ms}, {"mono_ms", line.mono_ms}};
  std::visit(Encoder{object}, line.body);
  return Frame(object);
}

Result<RecordPart> DecodeRecord(std::string_view bytes) {
  RecordPart part;
  auto used = EachLine(bytes, [&](const json::object& object, size_t end) {
    if (auto body = BodyFromJson(object))
      part.lines.push_back(
          {GetInt(object, "wall_ms"), GetInt(object, "mono_ms"), std::move(*body), end});
  });
  if (!used) return std::unexpected(std::move(used).error());
  part.used = *used;
  return part;
}

std::string EncodeControlLine(const ControlLine& line) {
  return Frame({{"stop", Name(line.by)},
                {"node", line.node},
                {"rank", line.rank},
                {"detail", line.detail},
                {"grace_ms", line.grace_ms}});
}

Result<ControlPart> DecodeControl(std::string_view bytes) {
  ControlPart part;
  auto used = EachLine(bytes, [&](const json::object& object, size_t) {
    part.lines.push_back({StoppedByFromName(GetString(object, "stop")),
                          int(GetInt(object, "node", -1)), int(GetInt(object, "rank", -1)),
                          std::string(GetString(object, "detail")),
                          GetInt(object, "grace_ms", -1)});
  });
  if (!used) return std::unexpected(std::move(used).error());
  part.used = *used;
  return part;
}

}  // namespace muster
