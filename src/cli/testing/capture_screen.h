#pragma once

#include <string>

#include "cli/screen.h"

namespace muster::cli {

// Keeps the output, for tests; a pipe by default.
class CaptureScreen final : public Screen {
 public:
  bool Out(std::string_view text) override {
    if (broken) return false;
    out += text;
    return true;
  }
  void Err(std::string_view text) override { err += text; }

  void BeTerminal(int columns) {
    out_is_terminal = err_is_terminal = true;
    width = columns;
  }

  std::string out, err;
  bool broken = false;
};

}  // namespace muster::cli
