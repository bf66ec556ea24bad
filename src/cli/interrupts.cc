#include "cli/interrupts.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "os/file.h"

namespace muster::cli {
namespace {

// Reads single keys without echo while it exists; Ctrl-C arrives as a key.
class KeyMode {
 public:
  explicit KeyMode(int fd) : fd_(fd), changed_(tcgetattr(fd, &before_) == 0) {
    if (!changed_) return;
    termios keys = before_;
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    tcsetattr(fd_, TCSAFLUSH, &keys);
  }
  ~KeyMode() {
    if (changed_) tcsetattr(fd_, TCSADRAIN, &before_);
  }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;

 private:
  int fd_;
  termios before_{};
  bool changed_;
};

Choice ReadChoice(int fd) {
  for (;;) {
    char key = 0;
    const ssize_t got = read(fd, &key, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Choice::kDetach;
    switch (key) {
      case 's':
      case 'S':
        return Choice::kStop;
      case 'c':
      case 'C':
      case '\x1b':
        return Choice::kContinue;
      case 'd':
      case 'D':
      case '\x03':
      case '\x04':
        return Choice::kDetach;
      default:
        break;
    }
  }
}

}  // namespace

Interrupts::Interrupts(std::initializer_list<int> signals) {
  sigemptyset(&taken_);
  for (const int signal : signals) sigaddset(&taken_, signal);
  pthread_sigmask(SIG_BLOCK, &taken_, &before_);
}

Interrupts::~Interrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool Interrupts::Pressed() { return Sleep(0); }

bool Interrupts::Sleep(int64_t ms) {
  const timespec limit{time_t(ms / 1000), long(ms % 1000) * 1'000'000};
  return sigtimedwait(&taken_, nullptr, &limit) > 0;
}

Choice AskWhatToDo() {
  const auto terminal = os::Open("/dev/tty", O_RDWR);
  if (!terminal) return Choice::kDetach;
  const KeyMode keys(terminal->get());
  const char* question =
      "\r\x1b[KCtrl-C: [s]top the job, [d]etach and let it go on, [c]ontinue watching? ";
  if (!os::WriteAll(terminal->get(), question)) return Choice::kDetach;
  const Choice choice = ReadChoice(terminal->get());
  const char* answer = choice == Choice::kStop     ? "stop\n"
                       : choice == Choice::kDetach ? "detach\n"
                                                   : "continue\n";
  (void)os::WriteAll(terminal->get(), answer);  // visual feedback only
  return choice;
}

}  // namespace muster::cli
