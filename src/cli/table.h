#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/screen.h"

namespace muster::cli {

// The longest beginning of `text` (valid UTF-8) that takes at most `width` columns; what was cut is
// marked with "…", which counts.
std::string CutToWidth(std::string_view text, int width);

// A cell of a table; its text is made safe for a terminal when the table takes it.
struct Cell {
  Cell(std::string_view cell_text, Paint cell_paint = Paint::kPlain)
      : text(cell_text), paint(cell_paint) {}
  Cell(const std::string& cell_text, Paint cell_paint = Paint::kPlain)
      : text(cell_text), paint(cell_paint) {}
  Cell(const char* cell_text, Paint cell_paint = Paint::kPlain)
      : text(cell_text), paint(cell_paint) {}

  std::string text;
  Paint paint;
};

struct Column {
  std::string title;
  bool right = false;  // numbers
};

// Columns aligned by display width, two blanks between them. On a terminal a row never wraps: the
// last column gives way first, then the widest.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  // The table with its head, every line indented by `indent` blanks; a column without any text is
  // left out.
  std::string Render(const Screen& screen, int indent = 0) const;

 private:
  std::vector<int> Widths(int limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// "name      value" pairs under each other; pairs without a value are left out.
std::string Facts(const Screen& screen,
                  const std::vector<std::pair<std::string, std::string>>& facts, int indent = 0);

}  // namespace muster::cli
