#pragma once

namespace muster {

// The first line that is logged makes the file `name` in the open folder, and makes it standard
// output and error: a process that has nothing to say leaves no file. The caller keeps the folder
// open until the next call; -1 takes this back. Not while another thread may log.
void LogIntoFileOf(int folder, const char* name);

}  // namespace muster
