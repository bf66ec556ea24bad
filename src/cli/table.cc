#include "cli/table.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/text.h"

namespace muster::cli {
namespace {

constexpr int kGap = 2;
constexpr int kLeast = 6;  // a column is not narrowed below this width

size_t CharacterLength(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return 2;
}

std::string Padded(std::string_view shown, int used, int width, bool right) {
  const std::string blanks(size_t(std::max(0, width - used)), ' ');
  return right ? blanks + std::string(shown) : std::string(shown) + blanks;
}

void TrimRight(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::string CutToWidth(std::string_view text, int width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width <= 0) return {};
  int used = 0;
  size_t at = 0;
  while (at < text.size()) {
    const size_t length = std::min(CharacterLength(text[at]), text.size() - at);
    const int columns = DisplayWidth(text.substr(at, length));
    if (used + columns > width - 1) break;
    used += columns;
    at += length;
  }
  return std::string(text.substr(0, at)) + "…";
}

void Table::Add(std::vector<Cell> row) {
  for (Cell& cell : row) cell.text = Printable(cell.text);
  row.resize(columns_.size(), Cell(""));
  rows_.push_back(std::move(row));
}

std::vector<int> Table::Widths(int limit) const {
  std::vector<int> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i].text));
  for (size_t i = 0; i < widths.size(); ++i)
    if (widths[i] > 0) widths[i] = std::max(widths[i], DisplayWidth(columns_[i].title));
  if (limit <= 0) return widths;

  const auto total = [&] {
    const long shown = std::ranges::count_if(widths, [](int width) { return width > 0; });
    return std::accumulate(widths.begin(), widths.end(), 0) + int(std::max(0L, shown - 1)) * kGap;
  };
  const auto squeeze = [&](int& width) {
    width = std::max(std::min(width, kLeast), width - (total() - limit));
  };
  if (!widths.empty() && total() > limit) squeeze(widths.back());
  for (size_t round = 0; round < widths.size() && total() > limit; ++round)
    squeeze(*std::ranges::max_element(widths));
  return widths;
}

std::string Table::Render(const Screen& screen, int indent) const {
  const std::vector<int> widths = Widths(screen.width > 0 ? screen.width - indent : 0);
  std::string text;
  const auto line = [&](auto cell_at) {
    std::string made(size_t(indent), ' ');
    bool first = true;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      if (!first) made.append(kGap, ' ');
      first = false;
      const auto [cell, paint] = cell_at(i);
      const std::string cut = CutToWidth(cell, widths[i]);
      made += Padded(screen.Painted(paint, cut), DisplayWidth(cut), widths[i], columns_[i].right);
    }
    TrimRight(made);
    text += made + "\n";
  };
  line([&](size_t i) { return std::pair<std::string, Paint>(columns_[i].title, Paint::kDim); });
  for (const auto& row : rows_)
    line([&](size_t i) { return std::pair<std::string, Paint>(row[i].text, row[i].paint); });
  return text;
}

std::string Facts(const Screen& screen,
                  const std::vector<std::pair<std::string, std::string>>& facts, int indent) {
  int width = 0;
  for (const auto& [name, value] : facts)
    if (!value.empty()) width = std::max(width, DisplayWidth(name));
  std::string text;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    text.append(size_t(indent), ' ');
    text += Padded(screen.Painted(Paint::kDim, name), DisplayWidth(name), width, false);
    text += fmt::format("  {}\n", value);
  }
  return text;
}

}  // namespace muster::cli
