#include "os/spawn.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "base/text.h"
#include "os/spawn_child.h"

// The C library's internal name of clone(2). Sanitizers replace the public one and assume that
// every child has its own memory.
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);

namespace muster::os {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::array<const char*, 3> kStreams = {"standard input", "standard output",
                                                 "standard error"};

// All data that the child reads, kept until the child has called exec.
struct Prepared {
  Path program;
  std::vector<char*> argv;
  std::vector<char*> env;
  std::vector<const char*> cgroup_procs;  // the group of `birth` is last
  Fd birth;                               // a version 2 group, or invalid
  std::vector<SpawnLimit> limits;
  Fd null;
  std::array<Fd, 3> moved;  // copies of descriptors with numbers 0, 1 and 2
  std::array<int, 3> fds{};
};

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

Status CheckText(const SpawnOptions& options) {
  if (options.argv.empty()) return Fail(Code::kInvalid, "cannot start a program: no command given");
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::ranges::any_of(options.argv, has_nul) || std::ranges::any_of(options.env, has_nul) ||
      has_nul(options.cwd.native())) {
    return Fail(Code::kInvalid,
                fmt::format("cannot start {}: an argument, a variable or the folder has a NUL byte",
                            Printable(options.argv[0])));
  }
  return {};
}

// Checked before the program is searched in the folder, so that the error names the missing object.
Status CheckFolder(const SpawnOptions& options) {
  struct stat info{};
  if (options.cwd.empty() || (::stat(options.cwd.c_str(), &info) == 0 && S_ISDIR(info.st_mode))) {
    return {};
  }
  return FailErrno(
      info.st_mode != 0 ? ENOTDIR : errno,
      fmt::format("start {} in folder {}", Printable(options.argv[0]), options.cwd.string()));
}

std::string_view PathVariable(const std::vector<std::string>& env) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& entry : env) {
    if (entry.starts_with(kName)) return std::string_view(entry).substr(kName.size());
  }
  return kDefaultPath;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Only root may raise a hard limit; a limit above it is reduced to the hard limit.
SpawnLimit CutToHardLimit(int resource, rlimit wanted) {
  rlimit now{};
  if (::getrlimit(__rlimit_resource_t(resource), &now) == 0) {
    wanted.rlim_max = std::min(wanted.rlim_max, now.rlim_max);
  }
  wanted.rlim_cur = std::min(wanted.rlim_cur, wanted.rlim_max);
  return {resource, wanted};
}

Status PrepareDescriptors(const SpawnOptions& options, Prepared& prepared) {
  const int out = options.stdout_fd;
  const std::array<int, 3> wanted = {options.stdin_fd, out,
                                     options.stderr_fd >= 0 ? options.stderr_fd : out};
  for (size_t i = 0; i < wanted.size(); ++i) {
    int fd = wanted[i];
    if (fd < 0) {
      if (!prepared.null) {
        MUSTER_ASSIGN(prepared.null, Open("/dev/null", O_RDWR));
      }
      fd = prepared.null.get();
    }
    if (fd < 3) {
      prepared.moved[i] = Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
      if (!prepared.moved[i]) {
        return FailErrno(errno, fmt::format("hand descriptor {} on as {}", fd, kStreams[i]));
      }
      fd = prepared.moved[i].get();
    }
    prepared.fds[i] = fd;
  }
  return {};
}

// The folder of a version 2 group in which a child can be created. Joining a group later makes the
// kernel wait for all CPUs, which takes ten milliseconds and more.
Fd BirthGroup(const Path& procs) {
  auto dir = Open(procs.parent_path(), O_PATH | O_DIRECTORY);
  struct statfs info{};
  if (!dir || ::fstatfs(dir->get(), &info) != 0 || info.f_type != CGROUP2_SUPER_MAGIC) return Fd();
  return std::move(*dir);
}

void PrepareCgroups(const SpawnOptions& options, Prepared& prepared) {
  const char* last = nullptr;
  for (const Path& procs : options.cgroup_procs) {
    if (last == nullptr && (prepared.birth = BirthGroup(procs))) {
      last = procs.c_str();
    } else {
      prepared.cgroup_procs.push_back(procs.c_str());
    }
  }
  if (last != nullptr) prepared.cgroup_procs.push_back(last);
}

Result<Prepared> Prepare(const SpawnOptions& options) {
  MUSTER_TRY(CheckText(options));
  MUSTER_TRY(CheckFolder(options));
  Prepared prepared;
  MUSTER_ASSIGN(prepared.program,
                FindProgram(options.argv[0], PathVariable(options.env), options.cwd));
  MUSTER_TRY(PrepareDescriptors(options, prepared));
  prepared.argv = Pointers(options.argv);
  prepared.env = Pointers(options.env);
  PrepareCgroups(options, prepared);
  for (const auto& [resource, limit] : options.limits) {
    prepared.limits.push_back(CutToHardLimit(resource, limit));
  }
  return prepared;
}

// "/usr/bin/nosuch" for "#!/usr/bin/nosuch -u"; empty for programs that are not scripts.
std::string Interpreter(const Path& program) {
  const auto head = ReadAt(program, 0, 256);
  if (!head || !head->starts_with("#!")) return {};
  const std::string_view line = Trim(std::string_view(*head).substr(2, head->find('\n') - 2));
  return Printable(line.substr(0, line.find_first_of(" \t")));
}

std::unexpected<Error> FailExec(int error, const Path& program) {
  auto failure = FailErrno(error, "run " + program.string());
  Error& report = failure.error();
  if (error == ENOENT) {
    const std::string interpreter = Interpreter(program);
    report.text =
        fmt::format("cannot run {}: the interpreter it asks for ({}) is missing", program.string(),
                    interpreter.empty() ? "its dynamic loader" : interpreter);
    report.next = "install the interpreter, or name another one in front of the file";
  } else if (error == ENOEXEC) {
    report.code = Code::kInvalid;
    report.next =
        "begin the script with a line such as #!/bin/sh, or name its interpreter in front";
  } else if (error == E2BIG) {
    report.code = Code::kTooLarge;
    report.next = "pass long lists in a file; arguments and environment together have a limit";
  } else if (error == EACCES) {
    report.next = "check the modes of the file and its folders, and that the disk allows programs";
  }
  return failure;
}

std::unexpected<Error> FailStep(const SpawnPlan& plan, const SpawnOptions& options) {
  const std::string program = Printable(options.argv[0]);
  switch (plan.failed) {
    case SpawnStep::kSession:
      return FailErrno(plan.error, fmt::format("start {} in a session of its own", program));
    case SpawnStep::kCgroup:
      return FailErrno(plan.error, fmt::format("start {}: join control group {}", program,
                                               plan.cgroup_procs[plan.index]));
    case SpawnStep::kLimit:
      return FailErrno(plan.error, fmt::format("start {}: set resource limit {}", program,
                                               plan.limits[plan.index].resource));
    case SpawnStep::kChdir:
      return FailErrno(plan.error, fmt::format("start {} in folder {}", program, plan.cwd));
    case SpawnStep::kDescriptors:
      return FailErrno(plan.error, fmt::format("start {}: hand descriptor {} on as {}", program,
                                               plan.fds[plan.index], kStreams[plan.index]));
    case SpawnStep::kExec:
    case SpawnStep::kNone:
      break;
  }
  return FailExec(plan.error, plan.program);
}

int DescriptorEnd() {
  constexpr rlim_t kMost = 1 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return int(kMost);
  return int(std::min(limit.rlim_cur, kMost));
}

// Waits for a child that ends soon.
void Reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

struct Cloned {
  pid_t pid = -1;
  int pidfd = -1;
  int error = 0;
};

// CLONE_VFORK suspends this thread until the child has called exec or ended, so the child can use
// part of this stack and share all memory: the cost does not depend on the size of the parent.
Cloned CloneSharing(SpawnPlan& plan) {
  alignas(16) std::array<char, 32 << 10> stack;
  Cloned cloned;
  cloned.pid = ::__clone(SpawnChild, stack.data() + stack.size(),
                         CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &cloned.pidfd);
  cloned.error = errno;
  return cloned;
}

#if defined(__x86_64__)
// clone3(2) with a stack for the child, for which the C library has no function. The child
// continues after the system call with that stack and must not use the frame of this function: it
// calls SpawnChild and exits with its result. Returns the pid, or minus errno.
long CloneOnStack(clone_args& args, SpawnPlan& plan) {
  long result = SYS_clone3;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[plan], %%rdi\n\t"
      "call *%[run]\n\t"
      "mov %%eax, %%edi\n\t"
      "mov %[end], %%eax\n\t"
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(&args),
        "S"(sizeof args), [plan] "r"(&plan), [run] "r"(&SpawnChild), [end] "i"(SYS_exit_group)
      : "rcx", "r11", "cc", "memory");
  return result;
}

// Creates the child inside the group, sharing memory as above.
Cloned CloneInto(const Fd& group, SpawnPlan& plan) {
  alignas(16) std::array<char, 32 << 10> stack;
  Cloned cloned;
  plan.cgroup_count -= 1;  // the last group is the one in which the child is created
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP;
  args.pidfd = uint64_t(&cloned.pidfd);
  args.exit_signal = SIGCHLD;
  args.stack = uint64_t(stack.data());
  args.stack_size = stack.size();
  args.cgroup = uint64_t(group.get());
  cloned.pid = pid_t(CloneOnStack(args, plan));
  plan.cgroup_count += 1;
  return cloned;
}
#else
// Creates the child inside the group. A child on a separate stack needs assembly, so this variant
// copies the memory and reports a failure through a shared page. Only launchers, which are small,
// start processes in groups.
Cloned CloneInto(const Fd& group, SpawnPlan& plan) {
  Cloned cloned;
  void* page =
      ::mmap(nullptr, sizeof plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return cloned;
  SpawnPlan* shared = new (page) SpawnPlan(plan);
  shared->cgroup_count -= 1;
  clone_args args{};
  args.flags = CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP;
  args.pidfd = uint64_t(&cloned.pidfd);
  args.exit_signal = SIGCHLD;
  args.cgroup = uint64_t(group.get());
  const long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) ::syscall(SYS_exit_group, SpawnChild(shared));
  cloned.pid = pid_t(pid);
  plan.failed = shared->failed;
  plan.index = shared->index;
  plan.error = shared->error;
  ::munmap(page, sizeof plan);
  return cloned;
}
#endif

Result<Child> Clone(const Fd& birth, SpawnPlan& plan, const SpawnOptions& options) {
  Cloned cloned;
  if (birth) cloned = CloneInto(birth, plan);
  // Kernels before 5.7 and some sandboxes do not support it: the child then joins the group by
  // itself.
  if (cloned.pid < 0) cloned = CloneSharing(plan);
  if (cloned.pid < 0)
    return FailErrno(cloned.error, "start a process for " + Printable(options.argv[0]));
  Child child{.pid = cloned.pid, .pidfd = Fd(cloned.pidfd)};
  if (plan.failed != SpawnStep::kNone) {
    Reap(child.pid);
    return FailStep(plan, options);
  }
  if (!child.pidfd) child.pidfd = Fd(int(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.pidfd) {
    const int error = errno;
    ::kill(child.pid, SIGKILL);
    Reap(child.pid);
    return FailErrno(error, "watch the new process of " + Printable(options.argv[0]));
  }
  return child;
}

}  // namespace

Result<Child> Spawn(const SpawnOptions& options) {
  MUSTER_ASSIGN(const Prepared prepared, Prepare(options));
  SpawnPlan plan{
      .program = prepared.program.c_str(),
      .argv = prepared.argv.data(),
      .env = prepared.env.data(),
      .cwd = options.cwd.empty() ? nullptr : options.cwd.c_str(),
      .cgroup_procs = prepared.cgroup_procs.data(),
      .cgroup_count = prepared.cgroup_procs.size(),
      .limits = prepared.limits.data(),
      .limit_count = prepared.limits.size(),
      .fds = {prepared.fds[0], prepared.fds[1], prepared.fds[2]},
      .descriptor_end = DescriptorEnd(),
      .new_session = options.leads == Leads::kSession,
      .new_group = options.leads == Leads::kGroup,
  };
  const BlockedSignals blocked;
  return Clone(prepared.birth, plan, options);
}

}  // namespace muster::os
