#include "os/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "os/cgroup_mounts.h"
#include "os/process_table.h"

namespace muster::os {
namespace {

constexpr const char* kParent = "muster";
constexpr int kRounds = 100;
constexpr int kJoinRounds = 5;

Status CheckName(const std::string& name) {
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  const bool safe = !name.empty() && name.size() <= 200 && name[0] != '.' &&
                    !name.starts_with("cgroup.") && std::ranges::all_of(name, is_safe);
  if (safe) return {};
  return Fail(Code::kInvalid,
              fmt::format("\"{}\" cannot name a control group", Printable(name.substr(0, 200))),
              "use letters, digits, '.', '_' and '-', not beginning with '.'");
}

// Control files of a group accept one write each.
Status WriteControl(const Path& file, std::string_view text) {
  MUSTER_ASSIGN(const Fd fd, Open(file, O_WRONLY));
  if (::write(fd.get(), text.data(), text.size()) >= 0) return {};
  return FailErrno(errno, fmt::format("write \"{}\" into {}", text, file.string()));
}

bool TryControl(const Path& file, std::string_view text) {
  return WriteControl(file, text).has_value();
}

bool Exists(const Path& file) { return ::access(file.c_str(), F_OK) == 0; }

std::vector<CgroupMount> UnifiedFirst(std::vector<CgroupMount> mounts) {
  std::ranges::sort(mounts, std::ranges::greater(), &CgroupMount::unified);
  return mounts;
}

// True if the folder was created, false if it existed.
Result<bool> MakeFolder(const Path& folder) {
  if (::mkdir(folder.c_str(), 0755) == 0) return true;
  if (errno == EEXIST) return false;
  return FailErrno(errno, "make control group " + folder.string());
}

Status CheckWritable(const Path& procs) {
  if (::access(procs.c_str(), W_OK) == 0) return {};
  return FailErrno(errno, "write into " + procs.string());
}

// Creates the group below `base` that contains all groups of Muster.
Status MakeParent(const Path& base, bool unified) {
  const Path parent = base / kParent;
  if (const auto made = MakeFolder(parent); !made) return std::unexpected(made.error());
  if (!unified) return {};
  // A controller must be enabled in every ancestor group. An ancestor that contains processes
  // refuses; its groups then have no limits but still serve to find and kill processes.
  for (const Path& above : {base, parent}) {
    for (const char* controller : {"+memory", "+pids"}) {
      TryControl(above / "cgroup.subtree_control", controller);
    }
  }
  // Version 2 requires write access to the common ancestor of both groups to move a process.
  return CheckWritable(base / "cgroup.procs");
}

// The base folders that PrepareCgroups prepared, in this process or in the process that forked it.
std::vector<Path>& PreparedBases() {
  static std::vector<Path> bases;
  return bases;
}

// Creates the group below `base` so that children of the caller can join it.
Result<Path> MakeBelow(const Path& base, bool unified, const std::string& name) {
  const Path dir = base / kParent / name;
  const auto& prepared = PreparedBases();
  const bool ready = std::ranges::find(prepared, base) != prepared.end();
  // Another process may have removed the parent meanwhile.
  auto made = ready ? MakeFolder(dir) : Result<bool>(false);
  if (!ready || !made) {
    MUSTER_TRY(MakeParent(base, unified));
    made = MakeFolder(dir);
  }
  if (!made) return std::unexpected(made.error());
  // A group that this process created below a checked parent is usable.
  if (!ready || !*made) MUSTER_TRY(CheckWritable(dir / "cgroup.procs"));
  return dir;
}

Result<Path> MakeIn(const CgroupMount& mount, const std::string& name) {
  auto dir = MakeBelow(mount.root, mount.unified, name);
  if (dir || mount.own == mount.root) return dir;
  return MakeBelow(mount.own, mount.unified, name);
}

// True if this hierarchy enforces the memory limit.
bool LimitMemory(const Path& dir, int64_t limit) {
  const std::string text = std::to_string(limit);
  if (TryControl(dir / "memory.max", text)) {
    TryControl(dir / "memory.swap.max", "0");
    return true;
  }
  // The limit including swap must not be below the memory limit.
  TryControl(dir / "memory.memsw.limit_in_bytes", "-1");
  if (!TryControl(dir / "memory.limit_in_bytes", text)) return false;
  TryControl(dir / "memory.memsw.limit_in_bytes", text);
  return true;
}

// The folders of the group and its nested groups, innermost first.
void ListTree(const Path& dir, std::vector<Path>& out) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(dir, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) ListTree(it->path(), out);
  }
  out.push_back(dir);
}

std::vector<Path> Tree(const Path& dir) {
  struct stat info{};
  if (::stat(dir.c_str(), &info) == 0 && info.st_nlink == 2) return {dir};  // no nested group
  std::vector<Path> folders;
  ListTree(dir, folders);
  return folders;
}

// The process ids that the kernel lists, including nested groups.
std::set<pid_t> PidsIn(const Path& dir) {
  std::set<pid_t> pids;
  for (const Path& folder : Tree(dir)) {
    const auto content = ReadFile(folder / "cgroup.procs");
    if (!content) continue;
    for (const std::string& line : Split(*content, '\n')) {
      const auto pid = ParseInt(line);
      if (pid && *pid > 0) pids.insert(pid_t(*pid));  // 0 is a process of another pid namespace
    }
  }
  return pids;
}

// The number after "oom_kill" in a file of "name value" lines.
int64_t OomKillsIn(const Path& file) {
  const auto content = ReadFile(file, 64 << 10);
  if (!content) return 0;
  for (const std::string& line : Split(*content, '\n')) {
    constexpr std::string_view kKey = "oom_kill ";
    if (line.starts_with(kKey)) return ParseInt(line.substr(kKey.size())).value_or(0);
  }
  return 0;
}

bool IsMember(pid_t pid, const std::string& name) {
  const auto content = ReadFile(fmt::format("/proc/{}/cgroup", pid), 64 << 10);
  if (!content) return false;
  const std::string group = fmt::format("/{}/{}", kParent, name);
  return std::ranges::any_of(Split(*content, '\n'), [&](const std::string& line) {
    const size_t at = line.find(group);
    return at != std::string::npos &&
           (at + group.size() == line.size() || line[at + group.size()] == '/');
  });
}

// Kills the member, but not another process that has the same pid by now.
void KillMember(pid_t pid, const std::string& name) {
  const Fd pidfd(int(::syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd && IsMember(pid, name)) {
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }
}

void Freeze(const std::vector<Path>& dirs, bool freeze) {
  for (const Path& dir : dirs) {
    TryControl(dir / "cgroup.freeze", freeze ? "1" : "0");
    TryControl(dir / "freezer.state", freeze ? "FROZEN" : "THAWED");
  }
}

void Pause(int round) {
  std::this_thread::sleep_for(std::chrono::milliseconds(round < 10 ? 1 : 10));
}

}  // namespace

void PrepareCgroups() {
  auto& prepared = PreparedBases();
  prepared.clear();
  for (const CgroupMount& mount : FindCgroupMounts()) {
    if (mount.unified && MakeParent(mount.root, true)) prepared.push_back(mount.root);
  }
}

Result<Cgroup> Cgroup::Create(const std::string& name, std::optional<int64_t> memory_limit) {
  MUSTER_TRY(CheckName(name));
  if (memory_limit && *memory_limit <= 0) {
    return Fail(Code::kInvalid, fmt::format("cannot limit memory to {} bytes", *memory_limit));
  }
  std::vector<Path> dirs;
  std::vector<CgroupMount> late;
  std::string causes;
  bool limited = !memory_limit;
  bool kernel_kills = false;
  for (const CgroupMount& mount : UnifiedFirst(FindCgroupMounts())) {
    // If version 2 can kill the group, other hierarchies matter only for memory accounting.
    if (kernel_kills && !mount.counts_memory) continue;
    if (kernel_kills && !memory_limit) {
      late.push_back(mount);
      continue;
    }
    auto dir = MakeIn(mount, name);
    if (!dir) {
      causes += (causes.empty() ? "" : "; ") + dir.error().text;
      continue;
    }
    if (memory_limit && LimitMemory(*dir, *memory_limit)) limited = true;
    kernel_kills |= mount.unified && Exists(*dir / "cgroup.kill");
    dirs.push_back(std::move(*dir));
  }
  if (dirs.empty()) {
    return Fail(Code::kUnavailable,
                fmt::format("no control group \"{}\" on this machine: {}", name,
                            causes.empty() ? "no hierarchy is mounted" : causes),
                "run as root, or in a delegated group (systemd-run --scope -p Delegate=yes)");
  }
  if (!limited) LogWarning("control group {} has no memory limit: no controller takes one", name);
  Cgroup group(name, std::move(dirs));
  group.late_ = std::move(late);
  group.limits_memory_ = limited;
  return group;
}

Result<Cgroup> Cgroup::Find(const std::string& name) {
  MUSTER_TRY(CheckName(name));
  std::vector<Path> dirs;
  for (const CgroupMount& mount : FindCgroupMounts()) {
    for (const Path& base : {mount.root, mount.own}) {
      const Path dir = base / kParent / name;
      if (::access((dir / "cgroup.procs").c_str(), F_OK) == 0 &&
          std::ranges::find(dirs, dir) == dirs.end()) {
        dirs.push_back(dir);
      }
    }
  }
  if (dirs.empty()) return Fail(Code::kNotFound, fmt::format("there is no control group {}", name));
  return Cgroup(name, std::move(dirs));
}

std::vector<Path> Cgroup::ProcsFiles() const {
  std::vector<Path> files;
  for (const Path& dir : dirs_) files.push_back(dir / "cgroup.procs");
  return files;
}

Cgroup Cgroup::WithoutLate() const {
  Cgroup group = *this;
  group.late_.clear();
  return group;
}

std::vector<Path> Cgroup::WithLate() const {
  std::vector<Path> dirs = dirs_;
  for (const CgroupMount& mount : late_) {
    dirs.push_back(mount.root / kParent / name_);
    if (mount.own != mount.root) dirs.push_back(mount.own / kParent / name_);
  }
  return dirs;
}

// Members may fork while they are moved; the next round finds their children.
void Cgroup::JoinLate() const {
  for (const CgroupMount& mount : late_) {
    const auto dir = MakeIn(mount, name_);
    for (int round = 0; dir && round < kJoinRounds; ++round) {
      const std::set<pid_t> there = PidsIn(*dir);
      int moved = 0;
      for (const pid_t pid : Members()) {
        if (!there.contains(pid)) moved += TryControl(*dir / "cgroup.procs", std::to_string(pid));
      }
      if (moved == 0) break;
    }
  }
}

std::vector<pid_t> Cgroup::Members() const {
  std::vector<pid_t> members;
  for (const pid_t pid : Listed()) {
    const auto process = ReadProcess(pid);
    if (process && IsAlive(*process)) members.push_back(pid);
  }
  return members;
}

std::set<pid_t> Cgroup::Listed() const {
  std::set<pid_t> listed;
  for (const Path& dir : dirs_) listed.merge(PidsIn(dir));
  return listed;
}

bool Cgroup::Stirs() const {
  return std::ranges::any_of(dirs_, [](const Path& dir) { return !PidsIn(dir).empty(); });
}

void Cgroup::KillAll() const {
  for (int round = 0; round < kRounds; ++round) {
    if (!Stirs()) return;
    bool by_kernel = false;
    for (const Path& dir : dirs_) by_kernel |= TryControl(dir / "cgroup.kill", "1");
    // cgroup.kill covers only its own hierarchy; the later rounds find members of others.
    if (!by_kernel || round > 0) {
      Freeze(dirs_, true);
      for (const pid_t pid : Members()) KillMember(pid, name_);
      Freeze(dirs_, false);
    }
    Pause(round);
  }
}

int64_t Cgroup::OomKills() const {
  int64_t kills = 0;
  for (const Path& dir : WithLate()) {
    kills += OomKillsIn(dir / "memory.events");  // includes nested groups; version 1 does not
    for (const Path& folder : Tree(dir)) kills += OomKillsIn(folder / "memory.oom_control");
  }
  return kills;
}

std::optional<int64_t> Cgroup::PeakMemory() const {
  for (const Path& dir : WithLate()) {
    for (const char* file : {"memory.peak", "memory.max_usage_in_bytes"}) {
      const auto content = ReadFile(dir / file, 4096);
      if (!content) continue;
      if (const auto peak = ParseInt(Trim(*content))) return peak;
    }
  }
  return std::nullopt;
}

Status Cgroup::Remove() const {
  for (const Path& dir : WithLate()) {
    for (const Path& folder : Tree(dir)) {
      // A process that has just died stays listed for an instant and keeps its group busy.
      for (int round = 0; ::rmdir(folder.c_str()) != 0 && errno != ENOENT; ++round) {
        const int error = errno;
        if (error != EBUSY || round == kRounds)
          return FailErrno(error, "remove control group " + folder.string());
        Pause(round);
      }
    }
  }
  return {};
}

}  // namespace muster::os
