#pragma once

#include <signal.h>

#include <cstdint>
#include <initializer_list>

namespace muster::cli {

// Turns Ctrl-C into a query instead of the end of the program: SIGINT, or the named signals, are
// blocked while it exists. Programs started meanwhile are not affected.
class Interrupts {
 public:
  explicit Interrupts(std::initializer_list<int> signals = {SIGINT});
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // Whether Ctrl-C or one of the signals occurred since the last call.
  bool Pressed();
  // Sleeps for `ms`; returns true immediately on Ctrl-C.
  bool Sleep(int64_t ms);

 private:
  sigset_t taken_;
  sigset_t before_;
};

enum class Choice { kStop, kDetach, kContinue };

// Asks on the terminal what Ctrl-C should do and waits for one key. Another Ctrl-C, end of input,
// or a missing terminal mean detach, which is harmless.
Choice AskWhatToDo();

}  // namespace muster::cli
