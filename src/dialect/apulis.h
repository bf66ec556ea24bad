#pragma once

#include <span>
#include <string>
#include <vector>

#include "dialect/platform.h"

namespace muster::dialect {

// Apulis and the DLWorkspace below it: a container a node with a home that all nodes share. On NPUs
// every node runs the command, elsewhere the first one alone, which reaches the others by ssh.

struct ApLayout {
  std::string user;      // DLWS_USER_NAME of the job's env, else "apulis"
  std::string home;      // /home/<user>
  std::string job_uuid;  // DLWS_JOB_ID
  std::string npu;       // home/.npu/<job>: rank tables
};
ApLayout ApLayoutOf(const JobSpec& spec, JobId job);

// Takes "&& sleep infinity" off the end of a command; whether there was one. Jobs that are over are
// over: their logs and files stay without it.
bool TakeKeepAlive(Command& run);

// The node's variables; `npus` are the job's, none elsewhere.
void SetApVariables(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                    NodeOrder& order);
// "0:192.168.10.1,1:…" of a node's NPUs.
std::string NpuAddresses(const TableHost& host);

// hostfile, ib_config, ssh settings, /pod.env and, on NPUs, the rank tables.
Status AddApFiles(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                  std::vector<NodeOrder>& orders);

// ssh that reaches the other nodes and sudo that asks nobody, in front of PATH for every process.
void AddApPrograms(const PlatformJob& job, NodeOrder& order);

View ApView(const PlatformJob& job, const ApLayout& layout, const NodeOrder& order);

}  // namespace muster::dialect
