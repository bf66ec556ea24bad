#include "cli/refuse_input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::cli {
namespace {

constexpr int kWaitForWriterMs = 20;

bool HasData(int input) {
  struct stat info{};
  if (::fstat(input, &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return ::lseek(input, 0, SEEK_CUR) < info.st_size;
  if (!S_ISFIFO(info.st_mode)) return false;
  pollfd pipe{.fd = input, .events = POLLIN, .revents = 0};
  int bytes = 0;
  return ::poll(&pipe, 1, kWaitForWriterMs) > 0 && ::ioctl(input, FIONREAD, &bytes) == 0 &&
         bytes > 0;
}

}  // namespace

Status RefuseInput(int input) {
  if (!HasData(input)) return {};
  return Fail(Code::kInvalid,
              "standard input has data, but the ranks of a job do not read standard input",
              "put the data into a file and name it in the command, or add </dev/null");
}

}  // namespace muster::cli
