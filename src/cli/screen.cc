#include "cli/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "os/file.h"

namespace muster::cli {
namespace {

const char* Sequence(Paint paint) {
  switch (paint) {
    case Paint::kPlain:
      return "";
    case Paint::kBold:
      return "\x1b[1m";
    case Paint::kDim:
      return "\x1b[2m";
    case Paint::kRed:
      return "\x1b[31m";
    case Paint::kGreen:
      return "\x1b[32m";
    case Paint::kYellow:
      return "\x1b[33m";
    case Paint::kBlue:
      return "\x1b[34m";
    case Paint::kMagenta:
      return "\x1b[35m";
    case Paint::kCyan:
      return "\x1b[36m";
  }
  return "";
}

std::string Wrap(bool colours, Paint paint, std::string_view text) {
  if (!colours || paint == Paint::kPlain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", Sequence(paint), text);
}

bool ColoursWanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return !(no_color && *no_color) && !(term && std::string_view(term) == "dumb");
}

int TerminalWidth(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto said = columns ? ParseInt(columns) : std::nullopt;
  return said && *said > 0 && *said < 10'000 ? int(*said) : 80;
}

class FdScreen final : public Screen {
 public:
  FdScreen() {
    out_is_terminal = isatty(STDOUT_FILENO) == 1;
    err_is_terminal = isatty(STDERR_FILENO) == 1;
    colours = out_is_terminal && ColoursWanted();
    err_colours = err_is_terminal && ColoursWanted();
    width = out_is_terminal ? TerminalWidth(STDOUT_FILENO) : 0;
  }
  bool Out(std::string_view text) override {
    if (!broken_ && !os::WriteAll(STDOUT_FILENO, text)) broken_ = true;
    return !broken_;
  }
  bool OutIsClosed() const override {
    pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
    return broken_ || (::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLNVAL)) != 0);
  }
  void Refresh() override {
    if (out_is_terminal) width = TerminalWidth(STDOUT_FILENO);
  }
  void Err(std::string_view text) override {
    // An error of standard error itself cannot be reported anywhere.
    (void)os::WriteAll(STDERR_FILENO, text);
  }

 private:
  bool broken_ = false;
};

}  // namespace

std::string Screen::Painted(Paint paint, std::string_view text) const {
  return Wrap(colours, paint, text);
}

std::string Screen::PaintedErr(Paint paint, std::string_view text) const {
  return Wrap(err_colours, paint, text);
}

std::unique_ptr<Screen> ProcessScreen() { return std::make_unique<FdScreen>(); }

int Report(Screen& screen, const Error& error, bool as_json) {
  if (as_json) {
    const json::object body{
        {"code", CodeName(error.code)}, {"message", error.text}, {"next", error.next}};
    screen.Err(ToJson(json::object{{"error", body}}) + "\n");
  } else {
    std::string text =
        fmt::format("{} {}\n", screen.PaintedErr(Paint::kRed, "muster:"), error.text);
    if (!error.next.empty()) text += fmt::format("  next: {}\n", error.next);
    screen.Err(text);
  }
  return error.code == Code::kInvalid ? 2 : 1;
}

}  // namespace muster::cli
