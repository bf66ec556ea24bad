#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/framework.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// A job that is planned for a platform.
struct PlatformJob {
  const JobSpec* outside = nullptr;  // as written by the user
  const JobFacts* facts = nullptr;   // of the job with the paths inside the view
  int port = 0;                      // reserved for the platform, equal on every node
};

// The contract of a platform in addition to that of the framework: variables, folders, files, and
// how often a command is started. One file each, one row in platforms.cc.
struct Platform {
  const char* name;
  // Number of consecutive ports that are equal on every node; 0 for none.
  int (*common_ports)(const JobSpec& spec);
  // The job with the paths of the platform; the framework plans this one.
  JobSpec (*inside)(const JobSpec& spec);
  // `orders` as produced by the framework.
  Status (*apply)(const PlatformJob& job, std::vector<NodeOrder>& orders);
};

const Platform* FindPlatform(std::string_view name);  // null for unknown names

extern const Platform kModelarts;
extern const Platform kModelartsV1;
extern const Platform kApulis;

// The job number in the form of a platform's id, from which scripts derive names and folders.
std::string JobUuid(JobId job);

// The folders and files of the job that the platform's mounts must not hide.
std::vector<std::string> KeptPaths(const JobSpec& outside, const Places& places);

// A sudo that asks for no password and changes no user, in the node's folder of programs (bin). The
// platform's pre-start step puts that folder in front of PATH.
void AddSudo(NodeOrder& order);

// Limit of nodes up to which variables with the names of all nodes are set: environments and plans
// are bounded.
inline constexpr size_t kMostPeers = 512;
// Whether the job is below the limit; otherwise a note of the node says that `names` are omitted.
bool NamesEveryNode(const JobFacts& facts, std::string_view names, NodeOrder& order);

// Sets a variable that grows with the job. If it is too long for the kernel it is omitted, with a
// note on the node.
void SetLongEnv(NodeOrder& order, std::string_view name, const std::string& value);

// Whether every node has NPUs, and the text of their table with the names of pods, whatever the job
// starts on them.
bool HasNpus(const JobFacts& facts);
Result<std::string> PlatformTable(const JobFacts& facts, TableForm form,
                                  const std::vector<std::string>& pods);

}  // namespace muster::dialect
