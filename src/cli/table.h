#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/screen.h"

namespace muster::cli {

// The longest prefix of `text` (valid UTF-8) with at most `width` columns; a cut is marked with
// "…", which counts.
std::string CutToWidth(std::string_view text, int width);

// A cell of a table; the table removes control characters from its text.
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

// Columns aligned by display width with two blanks between them. On a terminal rows never wrap: the
// last column is shortened first, then the widest.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void Add(std::vector<Cell> row);
  bool empty() const { return rows_.empty(); }
  // The table with its header, indented by `indent` blanks; columns without text are omitted.
  std::string Render(const Screen& screen, int indent = 0) const;

 private:
  std::vector<int> Widths(int limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Lines of "name      value"; pairs without a value are omitted.
std::string Facts(const Screen& screen,
                  const std::vector<std::pair<std::string, std::string>>& facts, int indent = 0);

}  // namespace muster::cli
