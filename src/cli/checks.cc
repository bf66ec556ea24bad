#include "cli/checks.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/run_program.h"
#include "os/cgroup.h"
#include "os/devices.h"

namespace muster::cli {
namespace {

using Grade = Check::Grade;

constexpr int64_t kLittleSpace = int64_t{5} << 30;
constexpr int64_t kHardlyAnySpace = int64_t{256} << 20;
constexpr rlim_t kFewFiles = 4096;

// The deepest existing folder of `path`.
os::Path ExistingPart(os::Path path) {
  std::error_code error;
  while (path.has_relative_path() && !std::filesystem::exists(path, error))
    path = path.parent_path();
  return path;
}

std::string LimitText(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit);
}

}  // namespace

Check CheckDataFolder(const os::Path& data) {
  const os::Path there = ExistingPart(data);
  struct statvfs info{};
  if (statvfs(there.c_str(), &info) != 0)
    return {"data", Grade::kFail, fmt::format("{} cannot be looked at", there.string()),
            "name another folder with --data"};
  if (access(there.c_str(), W_OK) != 0)
    return {"data", Grade::kFail, fmt::format("{} cannot be written", there.string()),
            "name a folder of yours with --data or $MUSTER_DATA"};
  const int64_t free = int64_t(info.f_bavail) * int64_t(info.f_frsize);
  const std::string found = fmt::format("{}, {} free", data.string(), HumanSize(free));
  const std::string next = "make room, or name a folder on another disk with --data";
  if (free < kHardlyAnySpace) return {"data", Grade::kFail, found, next};
  if (free < kLittleSpace) return {"data", Grade::kWarn, found, next};
  return {"data", Grade::kOk, found, ""};
}

Check CheckOpenFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string found = fmt::format("{} open files at most", LimitText(limit.rlim_max));
  if (limit.rlim_max < kFewFiles)
    return {"limits", Grade::kWarn, found, "raise it: ulimit -Hn 65536, or limits.conf"};
  return {"limits", Grade::kOk, found, ""};
}

Check CheckLockedMemory() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_max == RLIM_INFINITY) return {"memlock", Grade::kOk, "unlimited", ""};
  return {"memlock", Grade::kWarn, fmt::format("{} at most", HumanSize(int64_t(limit.rlim_max))),
          "fast networks want it unlimited: memlock in limits.conf"};
}

Check CheckCgroups() {
  const auto group = os::Cgroup::Create(fmt::format("doctor-{}", getpid()), std::nullopt);
  if (!group)
    return {"cgroups", Grade::kWarn, group.error().text,
            "jobs run all the same; memory limits are not enforced"};
  const auto removed = group->Remove();
  if (!removed) return {"cgroups", Grade::kWarn, removed.error().text, removed.error().next};
  return {"cgroups", Grade::kOk, "each attempt gets a group of its own", ""};
}

Check CheckDevices() {
  std::map<std::string, int> kinds;
  std::map<std::string, std::string> models;
  for (const os::Device& device : os::FindDevices()) {
    ++kinds[device.kind];
    if (!device.model.empty()) models[device.kind] = device.model;
  }
  std::string found =
      fmt::format("cpu:{}, {} memory", os::CpuCount(), HumanSize(os::MemoryTotal()));
  for (const auto& [kind, count] : kinds) {
    found += fmt::format(", {}:{}", kind, count);
    if (models.contains(kind)) found += fmt::format(" ({})", models[kind]);
  }
  return {"devices", Grade::kOk, found, ""};
}

std::vector<Check> CheckPython(const std::string& program) {
  const ProgramOutput version = RunProgram(
      {program, "-c", "import platform, sys; print(platform.python_version(), sys.executable)"});
  if (!Succeeded(version))
    return {{"python", Grade::kWarn, fmt::format("{} cannot be run", program),
             "install python3, or name an interpreter with --python"}};
  std::vector<Check> checks{{"python", Grade::kOk, version.text, ""}};
  const ProgramOutput torch =
      RunProgram({program, "-c", "import torch; print('torch', torch.__version__)"});
  if (Succeeded(torch)) {
    checks.push_back({"torch", Grade::kOk, torch.text, ""});
  } else {
    checks.push_back(
        {"torch", Grade::kWarn, fmt::format("{} has no torch", program),
         "for PyTorch jobs: apt install python3-torch, or --python of an environment"});
  }
  return checks;
}

std::vector<Check> MachineChecks(const os::Path& data) {
  std::vector<Check> checks{CheckDataFolder(data), CheckCgroups(), CheckOpenFiles(),
                            CheckLockedMemory(), CheckDevices()};
  for (Check& check : CheckPython("python3")) checks.push_back(std::move(check));
  return checks;
}

}  // namespace muster::cli
