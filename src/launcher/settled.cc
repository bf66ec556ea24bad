#include "launcher/settled.h"

#include <fcntl.h>

#include <cerrno>

#include "os/fd.h"

namespace muster::launcher {

std::vector<std::string> Settled(const FolderLook& before, const FolderLook& now,
                                 const FolderLook& copied) {
  std::vector<std::string> names;
  for (const auto& [name, identity] : now) {
    const auto was = before.find(name);
    if (was == before.end() || was->second != identity) continue;
    const auto there = copied.find(name);
    if (there == copied.end() || there->second != identity) names.push_back(name);
  }
  return names;
}

// The kernel grants a read lease only while no process can write. The lease is returned
// immediately, so a writer waits only briefly.
bool IsBeingWritten(const os::Path& file) {
  const auto fd = os::Open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return false;
  if (::fcntl(fd->get(), F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  (void)::fcntl(fd->get(), F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace muster::launcher
