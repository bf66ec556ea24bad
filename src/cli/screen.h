#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

enum class Paint { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// The output of a verb: results to standard output, messages to standard error, and the properties
// of the terminal. Tests use one that keeps the text.
class Screen {
 public:
  virtual ~Screen() = default;

  // False after a write error (closed pipe, full disk); the caller may then stop.
  virtual bool Out(std::string_view text) = 0;
  virtual void Err(std::string_view text) = 0;
  // True when standard output has no reader any more, without writing to it.
  virtual bool OutIsClosed() const { return false; }
  virtual void Refresh() {}  // reads the terminal's width again

  // `text` in a colour if standard output supports colours.
  std::string Painted(Paint paint, std::string_view text) const;
  std::string PaintedErr(Paint paint, std::string_view text) const;

  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;  // on standard output
  bool err_colours = false;
  int width = 0;  // columns of standard output's terminal; 0: not a terminal, no limit
};

// Standard output and error of this process. Colours are for terminals, unless $NO_COLOR is set or
// $TERM is "dumb".
std::unique_ptr<Screen> ProcessScreen();

// Prints "muster: cannot …" and the next step on standard error, or JSON with `as_json`. Returns
// the exit code: 2 for invalid input, 1 otherwise.
int Report(Screen& screen, const Error& error, bool as_json = false);

}  // namespace muster::cli
