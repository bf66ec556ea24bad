#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace muster::cli {

// The parts of the program that run jobs, which the command line does not include because it uses
// the HTTP API only. Each receives the arguments after its verb and returns an exit code.
struct Extras {
  std::function<int(std::vector<std::string>)> server;  // muster server …
  std::function<int(std::vector<std::string>)> launch;  // muster launch --order DIR
  std::function<int(std::vector<std::string>)> agent;   // muster agent …
  std::function<json::object()> server_schema;          // of the server's configuration
  std::string version, commit, build_date;
};

// The whole program behind main(): finds the verb, parses its flags, runs it. Exit codes: 0
// success, 1 failure, 2 wrong use or a faulty job file; `run`, `wait` and `logs -f` return the exit
// code of the job.
int RunCli(int argc, char** argv, const Extras& extras);

}  // namespace muster::cli
