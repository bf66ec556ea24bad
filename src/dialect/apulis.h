#pragma once

#include <span>
#include <string>
#include <vector>

#include "dialect/platform.h"

namespace muster::dialect {

// Apulis and DLWorkspace: one container per node, with a home folder that all nodes share. With
// NPUs every node runs the command; otherwise only the first node, which reaches the others by ssh.

struct ApLayout {
  std::string user;      // DLWS_USER_NAME in the job's env, else "apulis"
  std::string home;      // /home/<user>
  std::string job_uuid;  // DLWS_JOB_ID
  std::string npu;       // home/.npu/<job>, the folder of rank tables
};
ApLayout ApLayoutOf(const JobSpec& spec, JobId job);

// Removes "&& sleep infinity" from the end of a command and returns whether it was there. Logs and
// files are kept after the end of a job without it.
bool TakeKeepAlive(Command& run);

// Sets the variables of the node; `npus` is empty for jobs without NPUs.
void SetApVariables(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                    NodeOrder& order);
// "0:192.168.10.1,1:…" for the NPUs of a node.
std::string NpuAddresses(const TableHost& host);

// Adds the hostfile, ib_config, ssh settings, /pod.env and, with NPUs, the rank tables.
Status AddApFiles(const PlatformJob& job, const ApLayout& layout, std::span<const TableHost> npus,
                  std::vector<NodeOrder>& orders);

// Puts an ssh that reaches the other nodes, and a sudo without a password, first in PATH of every
// process.
void AddApPrograms(const PlatformJob& job, NodeOrder& order);

View ApView(const PlatformJob& job, const ApLayout& layout, const NodeOrder& order);

}  // namespace muster::dialect
