#include "cli/rank_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {
namespace {

constexpr size_t kLongestHeld = 1 << 20;

Paint RankPaint(int rank) {
  constexpr Paint kCycle[] = {Paint::kCyan, Paint::kYellow, Paint::kGreen, Paint::kMagenta,
                              Paint::kBlue};
  return kCycle[size_t(rank < 0 ? 0 : rank) % std::size(kCycle)];
}

// Where `part` is redrawn: a carriage return that is not a part of "\r\n".
bool IsRedrawn(std::string_view part, bool ended) {
  if (ended && part.ends_with('\r')) part.remove_suffix(1);
  return part.contains('\r');
}

}  // namespace

std::string RankLines::Take(int rank, std::string_view text, int64_t wall_ms) {
  if (!options_.changes_text()) {
    at_line_start_ = text.ends_with('\n');
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    Line& line = lines_[rank];
    if (line.held.empty() && !line.begun) line.wall_ms = wall_ms;
    const size_t end = text.find('\n');
    TakePart(rank, text.substr(0, end), end != text.npos, out);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out;
}

void RankLines::TakePart(int rank, std::string_view part, bool ended, std::string& out) {
  Line& line = lines_[rank];
  if (line.redrawn || IsRedrawn(part, ended)) {
    Redraw(line, part);
    if (!ended) return;
    const std::string bar = std::exchange(line.held, {});
    line.redrawn = false;
    return Show(rank, line, bar, true, out);
  }
  const bool whole_lines = bool(options_.keep);
  if (whole_lines && !ended) {
    line.held.append(part.substr(0, kLongestHeld - std::min(kLongestHeld, line.held.size())));
    return;
  }
  const std::string held = std::exchange(line.held, {});
  Show(rank, line, held.empty() ? part : held + std::string(part), ended, out);
}

// Keeps what stands behind the last carriage return that text follows.
void RankLines::Redraw(Line& line, std::string_view part) {
  line.redrawn = true;
  while (!part.empty()) {
    const size_t end = part.find('\r');
    const std::string_view piece = part.substr(0, end);
    if (line.held.ends_with('\r') && !piece.empty()) line.held.clear();
    line.held += piece;
    if (end != part.npos && !line.held.empty() && !line.held.ends_with('\r')) line.held += '\r';
    part.remove_prefix(end == part.npos ? part.size() : end + 1);
  }
  if (line.held.size() > kLongestHeld) line.held.clear();
}

void RankLines::Show(int rank, Line& line, std::string_view text, bool ended, std::string& out) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  const bool goes_on = line.begun && rank == last_rank_ && !at_line_start_;
  const bool hidden = options_.keep && !options_.keep(text);
  if (!hidden && (!text.empty() || ended)) {
    if (!goes_on && !at_line_start_) out += '\n';
    if (!goes_on) out += Prefix(rank, line.wall_ms);
    out += text;
    if (ended) out += '\n';
    at_line_start_ = ended;
    last_rank_ = rank;
  }
  line.begun = !ended;
}

std::string RankLines::Finish() {
  std::string out;
  for (auto& [rank, line] : lines_) {
    if (line.held.empty()) continue;
    const std::string held = std::exchange(line.held, {});
    line.redrawn = false;
    Show(rank, line, held, true, out);
  }
  return out;
}

std::vector<std::string> RankLines::bars() const {
  std::vector<std::string> bars;
  for (const auto& [rank, line] : lines_) {
    if (!line.redrawn || options_.keep) continue;
    bars.push_back(fmt::format("[rank {}] {}", rank, Printable(line.held)));
  }
  return bars;
}

std::string RankLines::Prefix(int rank, int64_t wall_ms) const {
  std::string prefix;
  if (options_.prefixes)
    prefix = screen_.Painted(RankPaint(rank), fmt::format("[rank {}]", rank)) + " ";
  if (options_.times) prefix += IsoTime(wall_ms) + " ";
  return prefix;
}

}  // namespace muster::cli
