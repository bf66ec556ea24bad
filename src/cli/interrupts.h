#pragma once

#include <signal.h>

#include <cstdint>
#include <initializer_list>

namespace muster::cli {

// Takes Ctrl-C as something to ask for instead of something that ends the program: SIGINT, or the
// signals named, are held back while this lives, and as before afterwards. Programs started
// meanwhile are not affected.
class Interrupts {
 public:
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT});
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Whether Ctrl-C was pressed, or one of the signals came, since the last question.
  bool Pressed();
  // Sleeps for `ms`; true at once when Ctrl-C is pressed.
  bool Sleep(int64_t ms);

 private:
  sigset_t taken_;
  sigset_t before_;
};

enum class Choice { kStop, kDetach, kContinue };

// Asks on the terminal what Ctrl-C was meant to do and waits for one key. Another Ctrl-C, the end
// of the input or a missing terminal mean detach, which loses nothing.
Choice AskWhatToDo();

}  // namespace muster::cli
