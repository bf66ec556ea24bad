#include "os/process_table.h"

#include <cstdlib>

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "os/file.h"

namespace muster::os {
namespace {

Path ProcFile(pid_t pid, const char* name) { return fmt::format("/proc/{}/{}", pid, name); }

std::vector<pid_t> AllPids() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir("/proc"), ::closedir);
  if (!dir) return pids;
  while (const dirent* entry = ::readdir(dir.get())) {
    if (const auto pid = ParseInt(entry->d_name)) pids.push_back(pid_t(*pid));
  }
  return pids;
}

// Between exec and the end of loading, a program has neither arguments nor environment. Kernel
// threads never have any.
bool IsBeingLoaded(pid_t pid) {
  constexpr pid_t kKernelThreads = 2;
  const auto arguments = ReadFile(ProcFile(pid, "cmdline"), 16 << 20);
  const auto process = ReadProcess(pid);
  return arguments && arguments->empty() && process && IsAlive(*process) && pid != kKernelThreads &&
         process->ppid != kKernelThreads;
}

// A main thread that has ended has no environment, but the other threads do.
std::string EnvironmentOfThreads(pid_t pid) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(ProcFile(pid, "task"), error), end;
       !error && it != end; it.increment(error)) {
    const auto environment = ReadFile(it->path() / "environ", 16 << 20);
    if (environment && !environment->empty()) return *environment;
  }
  return {};
}

// Waits for a program that is being loaded, one millisecond per unit of `patience`, so that its
// mark is not missed.
std::string Environment(pid_t pid, int& patience) {
  const Path file = ProcFile(pid, "environ");
  auto environment = ReadFile(file, 16 << 20);
  if (!environment || !environment->empty()) return environment.value_or("");
  if (const auto process = ReadProcess(pid); process && process->state == 'Z')
    return IsAlive(*process) ? EnvironmentOfThreads(pid) : "";
  while (patience > 0 && IsBeingLoaded(pid)) {
    --patience;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ReadFile(file, 16 << 20).value_or("");  // loading may have ended since the first read
}

bool HasEntry(std::string_view environment, std::string_view mark) {
  for (size_t at = environment.find(mark); at != std::string_view::npos;
       at = environment.find(mark, at + 1)) {
    const size_t end = at + mark.size();
    const bool starts = at == 0 || environment[at - 1] == '\0';
    if (starts && (end == environment.size() || environment[end] == '\0')) return true;
  }
  return false;
}

std::unexpected<Error> Malformed(pid_t pid) {
  return Fail(Code::kCorrupt, fmt::format("cannot understand /proc/{}/stat", pid));
}

}  // namespace

bool IsAlive(const ProcessInfo& process) {
  return (process.state != 'Z' && process.state != 'X') || process.threads > 1;
}

Result<ProcessInfo> ReadProcess(pid_t pid) {
  auto content = ReadFile(ProcFile(pid, "stat"), 4096);
  if (!content) {
    // A process that ends between open and read causes ESRCH.
    if (content.error().sys != ESRCH && content.error().sys != ENOENT) {
      return std::unexpected(std::move(content).error());
    }
    return Fail(Code::kNotFound, fmt::format("there is no process {}", pid));
  }
  // "pid (comm) state ppid pgrp ...": comm may contain blanks and ')', so it ends at the last ')'.
  const size_t open = content->find('('), close = content->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return Malformed(pid);
  }
  const std::vector<std::string> fields =
      Split(Trim(std::string_view(*content).substr(close + 1)), ' ');
  constexpr size_t kState = 0, kParent = 1, kGroup = 2, kThreads = 17, kStart = 19, kStatus = 49;
  if (fields.size() <= kStart || fields[kState].empty()) return Malformed(pid);
  return ProcessInfo{
      .pid = pid,
      .ppid = pid_t(ParseInt(fields[kParent]).value_or(0)),
      .pgid = pid_t(ParseInt(fields[kGroup]).value_or(0)),
      .state = fields[kState][0],
      .threads = int(ParseInt(fields[kThreads]).value_or(1)),
      .start_ticks = uint64_t(ParseInt(fields[kStart]).value_or(0)),
      .wait_status = fields.size() > kStatus ? int(ParseInt(fields[kStatus]).value_or(0)) : 0,
      .comm = content->substr(open + 1, close - open - 1),
  };
}

std::vector<ProcessInfo> AllProcesses() {
  std::vector<ProcessInfo> processes;
  for (pid_t pid : AllPids()) {
    if (auto process = ReadProcess(pid)) processes.push_back(std::move(*process));
  }
  return processes;
}

std::vector<pid_t> Children() {
  std::vector<pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    const auto text = ReadFile(it->path() / "children", 16 << 20);
    if (!text) continue;
    for (const std::string& word : Split(*text, ' '))
      if (const auto pid = ParseInt(word)) children.push_back(pid_t(*pid));
  }
  return children;
}

std::vector<ProcessInfo> Descendants(pid_t root) {
  std::multimap<pid_t, ProcessInfo> children;
  for (ProcessInfo& process : AllProcesses()) {
    const pid_t parent = process.ppid;
    children.emplace(parent, std::move(process));
  }
  std::vector<ProcessInfo> found;
  std::vector<pid_t> open = {root};
  std::set<pid_t> seen = {root};  // /proc is no snapshot: a reused pid could form a cycle
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto it = first; it != last; ++it) {
      if (!seen.insert(it->second.pid).second) continue;
      open.push_back(it->second.pid);
      if (IsAlive(it->second)) found.push_back(it->second);
    }
  }
  return found;
}

std::vector<ProcessInfo> ProcessesMarked(std::string_view mark) {
  std::vector<ProcessInfo> found;
  if (mark.empty()) return found;
  int patience = 200;
  for (pid_t pid : AllPids()) {
    if (pid == ::getpid()) continue;
    if (!HasEntry(Environment(pid, patience), mark)) continue;
    if (auto process = ReadProcess(pid); process && IsAlive(*process)) {
      found.push_back(std::move(*process));
    }
  }
  return found;
}

std::optional<std::string> VariableOf(pid_t pid, std::string_view name) {
  const auto environment = ReadFile(ProcFile(pid, "environ"), 16 << 20);
  if (!environment) return std::nullopt;
  for (const std::string& entry : Split(*environment, '\0'))
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

bool Catches(pid_t pid, int signal) {
  constexpr std::string_view kField = "\nSigCgt:\t";
  const auto content = ReadFile(ProcFile(pid, "status"), 1 << 16);
  const size_t at = content ? content->find(kField) : std::string::npos;
  if (at == std::string::npos || signal < 1 || signal > 64) return false;
  const uint64_t caught = std::strtoull(content->c_str() + at + kField.size(), nullptr, 16);
  return (caught >> (signal - 1) & 1) != 0;
}

std::string CommandLine(pid_t pid) {
  const auto content = ReadFile(ProcFile(pid, "cmdline"), 16 << 20);
  if (!content || content->empty()) return {};
  std::vector<std::string> words = Split(*content, '\0');
  if (words.back().empty()) words.pop_back();  // every word ends with a NUL
  return ShellJoin(words);
}

}  // namespace muster::os
