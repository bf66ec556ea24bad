#include "api/series.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace muster::api {
namespace {

constexpr int64_t kLookBack = 32 << 10;
constexpr size_t kPart = 64 << 10;

void TakeLine(std::string_view line, LatestValues& latest) {
  const Result<json::value> parsed = ParseJson(line);
  if (!parsed || !parsed->is_object()) return;
  const json::object& object = parsed->get_object();
  const int64_t rank = GetInt(object, "rank", -1);
  if (rank < 0 || rank > std::numeric_limits<int>::max()) return;
  if (GetObject(object, "values") == nullptr) return;
  latest[int(rank)] = metrics::MeasuredFromJson(object);
}

}  // namespace

bool Series::Begin() {
  const Result<int64_t> size = file_.Size();
  if (!size || *size == 0) return false;
  offset_ = std::max<int64_t>(0, *size - kLookBack);
  if (*offset_ == 0) return true;
  // The offset is probably inside of a line: reading starts behind it.
  std::string part;
  if (!file_.Read(*offset_ - 1, kPart, part)) return false;
  const size_t newline = part.find('\n');
  *offset_ += newline == part.npos ? int64_t(part.size()) - 1 : int64_t(newline);
  return true;
}

LatestValues Series::Read(bool& more) {
  LatestValues latest;
  more = false;
  std::string part;
  if (!offset_ && !Begin()) return latest;
  if (!file_.Read(*offset_, kPart, part) || part.empty()) return latest;
  const size_t last = part.rfind('\n');
  const bool full = part.size() == kPart;
  // A launcher writes no line that is longer than a part: such a line is ignored.
  const size_t whole = last != part.npos ? last + 1 : (full ? part.size() : 0);
  for (const std::string& line : Split(std::string_view(part).substr(0, whole), '\n'))
    if (!line.empty()) TakeLine(line, latest);
  *offset_ += int64_t(whole);
  more = full;
  return latest;
}

json::object ProgressJson(int attempt, int rank, const metrics::Measured& measured) {
  json::object object = metrics::MeasuredToJson(measured);
  object["attempt"] = attempt;
  object["rank"] = rank;
  object["text"] = metrics::ProgressText(measured);
  return object;
}

}  // namespace muster::api
