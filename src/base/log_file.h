#pragma once

namespace muster {

// The first logged line creates the file `name` in the open folder and redirects standard output
// and error to it, so that a process without messages leaves no file. The caller keeps the folder
// open until the next call; -1 cancels. Must not be called while another thread may log.
void LogIntoFileOf(int folder, const char* name);

}  // namespace muster
