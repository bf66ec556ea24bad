#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::cli {

enum class Paint { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue, kMagenta, kCyan };

// Where a verb writes: results to standard output, remarks to standard error, and what is known of
// the terminal behind them. Tests hand in one that keeps the text.
class Screen {
 public:
  virtual ~Screen() = default;

  // False once nobody reads any more (a closed pipe, a full disk); the caller may stop then.
  virtual bool Out(std::string_view text) = 0;
  virtual void Err(std::string_view text) = 0;
  // True when standard output has no reader any more, without writing to it.
  virtual bool OutIsClosed() const { return false; }
  virtual void Refresh() {}  // reads the terminal's width again

  // `text` in a colour when standard output shows colours, else as it is.
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

// "muster: cannot …" and the next step on standard error; as JSON with `as_json`. Returns the exit
// code that fits: 2 for wrong input, 1 otherwise.
int Report(Screen& screen, const Error& error, bool as_json = false);

}  // namespace muster::cli
