#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::launcher {

// Makes the calling process a supervisor and forks a launcher below it. Returns in the launcher
// only, with 0; when the fork fails, returns minus an errno in the caller. `answer` is called in
// the supervisor with the launcher's pid.
//
// The supervisor is the subreaper above the launcher: when a launcher is killed, every process that
// it left behind becomes a child of the supervisor, whatever its session, environment and control
// group are. The supervisor kills all of them and reports that through its command line
// (os/supervisor.h); it ends on SIGTERM, when a server has read the report. When the launcher ends
// by itself and has told its server, the supervisor ends at once.
//
// `title` is the memory of the program's arguments behind its name.
int ForkBelowSupervisor(std::span<char> title, void (*answer)(int pid));

// What the launcher is doing, for the report of its supervisor: the node's group name and folder.
// Empty while the launcher is idle. No effect in a process that has no supervisor.
void AnnounceNode(std::string_view group, std::string_view node_dir);

}  // namespace muster::launcher
