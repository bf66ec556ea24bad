#pragma once

#include <string>
#include <string_view>

namespace muster::cli {

// Makes the output of a job safe for a terminal. Passes text, line ends, tabs, carriage returns and
// SGR sequences (colours); removes all other control characters and sequences: cursor movements,
// window titles, clipboard writes (OSC), C1 controls, and bidirectional controls. Bytes that are no
// UTF-8 become U+FFFD. A sequence may be split between two calls.
class TerminalText {
 public:
  std::string Take(std::string_view bytes);
  // What is left at the end of the output; switches colours off that are still on.
  std::string Finish();

 private:
  enum class State { kText, kCharacter, kEscape, kCharset, kCsi, kString, kStringEscape };
  void TakeByte(char byte, std::string& out);
  void TakeText(char byte, std::string& out);
  void TakeEscape(char byte, std::string& out);
  void TakeCsi(char byte, std::string& out);
  void TakeString(char byte, std::string& out);
  void EndCharacter(std::string& out);
  void AbortString(std::string& out);
  void PassColours(std::string& out);

  State state_ = State::kText;
  std::string pending_;  // an unfinished character or sequence
  bool coloured_ = false;
};

}  // namespace muster::cli
