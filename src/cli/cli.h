#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"

namespace muster::cli {

// What the command line cannot reach by itself, because it talks to jobs through the HTTP API
// alone: the parts of the program that run jobs. Each gets the arguments behind its verb and
// returns an exit code.
struct Extras {
  std::function<int(std::vector<std::string>)> server;  // muster server …
  std::function<int(std::vector<std::string>)> launch;  // muster launch --order DIR
  std::function<int(std::vector<std::string>)> agent;   // muster agent …
  std::function<json::object()> server_schema;          // of the server's configuration
  std::string version, commit, build_date;
};

// The whole program behind main(): finds the verb, reads its flags, runs it. Exit codes: 0 done, 1
// could not, 2 wrong use or a faulty job file; `run`, `wait` and `logs -f` give the job's own.
int RunCli(int argc, char** argv, const Extras& extras);

}  // namespace muster::cli
