#pragma once

#include <signal.h>

#include <cstdint>

namespace muster::cli {

// Takes Ctrl-C as something to ask for instead of something that ends the program: SIGINT is held
// back while this lives, and as before afterwards. Programs started meanwhile are not affected.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Whether Ctrl-C was pressed since the last question.
  bool Pressed();
  // Sleeps for `ms`; true at once when Ctrl-C is pressed.
  bool Sleep(int64_t ms);

 private:
  sigset_t before_;
};

enum class Choice { kStop, kDetach, kContinue };

// Asks on the terminal what Ctrl-C was meant to do and waits for one key. Another Ctrl-C, the end
// of the input or a missing terminal mean detach, which loses nothing.
Choice AskWhatToDo();

}  // namespace muster::cli
