#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialect/framework.h"
#include "dialect/rank_table.h"

namespace muster::dialect {

// A job on its way to a platform's inside.
struct PlatformJob {
  const JobSpec* outside = nullptr;  // as the user wrote it
  const JobFacts* facts = nullptr;   // of the job as it sees itself
  int port = 0;                      // the platform's own, the same on every node
};

// What scripts written for a platform find around them, beside the framework's contract: variables,
// folders, files, and how often a command is started. One file each, one row in platforms.cc.
struct Platform {
  const char* name;
  // Consecutive ports that must be the same on every node; 0: none.
  int (*common_ports)(const JobSpec& spec);
  // The job as it sees itself: the framework plans this one, with the platform's paths in it.
  JobSpec (*inside)(const JobSpec& spec);
  // `orders` come as the framework left them.
  Status (*apply)(const PlatformJob& job, std::vector<NodeOrder>& orders);
};

const Platform* FindPlatform(std::string_view name);  // null: none of that name

extern const Platform kModelarts;
extern const Platform kModelartsV1;
extern const Platform kApulis;

// The job's number in the form of an id that platforms give: scripts make names and folders of it.
std::string JobUuid(JobId job);

// The job's folders and files that the platform's mounts must not hide.
std::vector<std::string> KeptPaths(const JobSpec& outside, const Places& places);

// A sudo that asks for no password and changes no user, in the node's folder of programs (bin). The
// platform's pre-start step puts that folder in front of PATH.
void AddSudo(NodeOrder& order);

// Variables with one name for every node stop here: environments are bounded, and so are plans.
inline constexpr size_t kMostPeers = 512;
// Whether the job is small enough for them; else the node's notes say that `names` are left out.
bool NamesEveryNode(const JobFacts& facts, std::string_view names, NodeOrder& order);

// A variable that grows with the job. One that is too long for the kernel is left out, and the
// node's notes say so.
void SetLongEnv(NodeOrder& order, std::string_view name, const std::string& value);

// Whether every node has NPUs, and the text of their table whatever the job starts on them, with
// the names of its pods.
bool HasNpus(const JobFacts& facts);
Result<std::string> PlatformTable(const JobFacts& facts, TableForm form,
                                  const std::vector<std::string>& pods);

}  // namespace muster::dialect
