// Programs that do not want to end. usage: resist KIND FOLDER
// Every process of a kind first writes "pid start-time" into FOLDER/pids, whatever it does afterwards to hide; the
// test looks at exactly these and at whatever else still touches FOLDER. "ready" in FOLDER says that all are there.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[4096];
static char self[4096];

static int Append(const char* name, const char* text) {
  char path[5000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return -1;
  const ssize_t written = write(fd, text, strlen(text));
  close(fd);
  return written < 0 ? -1 : 0;
}

static void Note(void) {
  char stat[4096] = "", line[128];
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || read(fd, stat, sizeof stat - 1) <= 0) _exit(90);
  close(fd);
  char* at = strrchr(stat, ')');
  for (int field = 2; at != NULL && field < 22; ++field) at = strchr(at + 1, ' ');
  // The number as the whole machine sees it, also from inside a namespace of its own.
  char link[64] = "";
  if (readlink("/proc/self", link, sizeof link - 1) < 0 || at == NULL) _exit(91);
  snprintf(line, sizeof line, "%s %llu\n", link, strtoull(at + 1, NULL, 10));
  if (Append("pids", line) != 0) _exit(92);
}

static void Ready(void) { Append("ready", "ready\n"); }

static void IgnoreAll(void) {
  sigset_t all;
  sigfillset(&all);
  for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_BLOCK, &all, NULL);
}

static void Forever(void) {
  while (1) pause();
}

static void CloseAll(void) {
  for (int fd = 0; fd < 256; ++fd) close(fd);
}

// A process of its own session and parentage; runs `fn` and never returns there.
static void Daemon(void (*fn)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      Note();
      fn();
      _exit(0);
    }
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void Stubborn(void) {
  IgnoreAll();
  Forever();
}

static void Hidden(void) {  // nothing of it points to where it came from
  if (chdir("/") != 0) _exit(93);
  CloseAll();
  prctl(PR_SET_NAME, "kworker/9:1");
  IgnoreAll();
  execle("/bin/sleep", "[kworker]", "1000", (char*)NULL, (char* const[]){NULL});
}

static void Hydra(void) {  // a new process every few milliseconds, the old one gone
  IgnoreAll();
  while (1) {
    usleep(3000);
    if (fork() != 0) _exit(0);
    setsid();
    Note();
  }
}

static void Bomb(void) {
  IgnoreAll();
  for (int i = 0; i < 60; ++i)
    if (fork() == 0) {
      Note();
      if (i % 2) setsid();
      Forever();
    }
  Forever();
}

static void* Thread(void* unused) {
  (void)unused;
  IgnoreAll();
  Ready();
  Forever();
  return NULL;
}

static void WithoutFirstThread(void) {
  IgnoreAll();
  pthread_t thread;
  if (pthread_create(&thread, NULL, Thread, NULL) != 0) _exit(94);
  syscall(SYS_exit, 0);  // this thread alone
}

static void Memfd(void) {
  const int from = open("/bin/sleep", O_RDONLY), to = memfd_create("nothing", MFD_CLOEXEC);
  static char buffer[1 << 20];
  ssize_t count;
  while ((count = read(from, buffer, sizeof buffer)) > 0)
    if (write(to, buffer, (size_t)count) != count) _exit(95);
  IgnoreAll();
  Ready();
  fexecve(to, (char* const[]){"", "1000", NULL}, (char* const[]){NULL});
}

static void Vforked(void) {  // the parent cannot even look at a signal that is no SIGKILL
  IgnoreAll();
  if (vfork() == 0) {
    Note();
    Ready();
    while (1) pause();
  }
  _exit(0);
}

static void Traced(void) {
  const pid_t child = fork();
  if (child == 0) {
    Note();
    IgnoreAll();
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    Forever();
  }
  IgnoreAll();
  waitpid(child, NULL, __WALL);
  Ready();
  Forever();
}

static void StoppedChild(void) {
  const pid_t child = fork();
  if (child == 0) {
    Note();
    setsid();
    IgnoreAll();
    kill(getpid(), SIGSTOP);
    Forever();
  }
  waitpid(child, NULL, WUNTRACED);
  Ready();
  kill(getpid(), SIGSTOP);
  Forever();
}

static void Guards(void) {  // two that raise each other again
  IgnoreAll();
  pid_t other = fork();
  const pid_t first = getppid();
  if (other == 0) {
    setsid();
    Note();
    prctl(PR_SET_PDEATHSIG, 0);
    while (getppid() == first) usleep(2000);
    Guards();
  }
  while (1) {
    if (waitpid(other, NULL, 0) == other) {
      other = fork();
      if (other == 0) {
        setsid();
        Note();
        Forever();
      }
    }
  }
}

static void Respawn(int number) {
  (void)number;
  Daemon(Stubborn);
}

static void OnTermAnotherDaemon(void) {
  signal(SIGTERM, Respawn);
  Ready();
  while (1) pause();
}

static void Subreaper(void) {  // orphans below it come to it, and not to the launcher
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Daemon(Stubborn);
  Daemon(Hidden);
  IgnoreAll();
  Ready();
  Forever();
}

static void PidNamespace(void) {
  if (unshare(CLONE_NEWPID) != 0 && errno == EPERM) _exit(77);
  if (fork() == 0) {
    Note();
    setsid();
    if (fork() == 0) {
      Note();
      Stubborn();
    }
    Stubborn();
  }
  usleep(100000);
  Ready();
  Forever();
}

static void OtherUser(void) {
  Note();
  if (setgid(65534) != 0 || setuid(65534) != 0) _exit(77);
  prctl(PR_SET_DUMPABLE, 0);
  Stubborn();
}

static void OutOfItsGroups(void) {  // root may leave its control groups
  char paths[][64] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
                      "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs",
                      "/sys/fs/cgroup/freezer/cgroup.procs"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    const int fd = open(paths[i], O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "0", 1) < 0) errno = 0;
    if (fd >= 0) close(fd);
  }
  Hidden();
}

static void Reexec(void) {  // between two programs there is neither name nor environment
  IgnoreAll();
  usleep(1000);
  execl(self, self, "reexec", folder, (char*)NULL);
}

static void Memory(void) {  // takes long to go
  char* bytes = malloc(256u << 20);
  if (bytes == NULL) _exit(96);
  memset(bytes, 1, 256u << 20);
  IgnoreAll();
  Ready();
  Forever();
}

static void Writer(void) {  // holds the output open and writes on
  signal(SIGTERM, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  while (1) {
    if (write(1, "still here\n", 11) < 0) errno = 0;
    usleep(20000);
  }
}

static void Burner(void) {
  IgnoreAll();
  Ready();
  for (volatile unsigned long i = 0;; ++i)
    if (i % 100000 == 0) usleep(1000);
}

static void Frozen(void) {  // written to by the test, which freezes the file system below "disk"
  IgnoreAll();
  char path[5000];
  snprintf(path, sizeof path, "%s/disk/file", folder);
  Ready();
  while (1) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, "x", 1) == 1) fsync(fd);
    if (fd >= 0) close(fd);
    usleep(1000);
  }
}

static void Main(const char* kind) {
  if (!strcmp(kind, "ignores_term")) signal(SIGTERM, SIG_IGN), Ready(), Forever();
  if (!strcmp(kind, "ignores_all")) IgnoreAll(), Ready(), Forever();
  if (!strcmp(kind, "setsid")) setsid(), IgnoreAll(), Ready(), Forever();
  if (!strcmp(kind, "daemon")) Daemon(Stubborn), Ready(), Forever();
  if (!strcmp(kind, "daemon_left")) Daemon(Stubborn), Ready(), exit(0);
  if (!strcmp(kind, "hidden_daemon")) Daemon(Hidden), Ready(), Forever();
  if (!strcmp(kind, "hidden_daemon_left")) Daemon(Hidden), Ready(), exit(0);
  if (!strcmp(kind, "hidden")) Ready(), Hidden();
  if (!strcmp(kind, "hydra")) Daemon(Hydra), Ready(), Forever();
  if (!strcmp(kind, "bomb")) Daemon(Bomb), Ready(), Bomb();
  if (!strcmp(kind, "no_first_thread")) WithoutFirstThread();
  if (!strcmp(kind, "no_first_thread_daemon")) Daemon(WithoutFirstThread), Forever();
  if (!strcmp(kind, "no_first_thread_left")) Daemon(WithoutFirstThread), exit(0);
  if (!strcmp(kind, "memfd")) Memfd();
  if (!strcmp(kind, "vfork")) Vforked();
  if (!strcmp(kind, "vfork_daemon")) Daemon(Vforked), Forever();
  if (!strcmp(kind, "traced")) Traced();
  if (!strcmp(kind, "traced_daemon")) Daemon(Traced), Forever();
  if (!strcmp(kind, "stopped_child")) StoppedChild();
  if (!strcmp(kind, "guards")) Ready(), Guards();
  if (!strcmp(kind, "respawns_on_term")) OnTermAnotherDaemon();
  if (!strcmp(kind, "subreaper")) Subreaper();
  if (!strcmp(kind, "pid_namespace")) PidNamespace();
  if (!strcmp(kind, "other_user")) Ready(), OtherUser();
  if (!strcmp(kind, "out_of_its_groups")) Daemon(OutOfItsGroups), Ready(), Forever();
  if (!strcmp(kind, "out_of_its_groups_left")) Daemon(OutOfItsGroups), Ready(), exit(0);
  if (!strcmp(kind, "memory")) Memory();
  if (!strcmp(kind, "writer")) Daemon(Writer), Ready(), Writer();
  if (!strcmp(kind, "writer_left")) Daemon(Writer), Ready(), exit(0);
  if (!strcmp(kind, "burner")) Burner();
  if (!strcmp(kind, "frozen")) Frozen();
  if (!strcmp(kind, "stops_its_launcher")) kill(getppid(), SIGSTOP), IgnoreAll(), Ready(), Forever();
  if (!strcmp(kind, "kills_its_launcher"))
    Daemon(Hidden), Daemon(Stubborn), Ready(), kill(getppid(), SIGKILL), IgnoreAll(), Forever();
  if (!strcmp(kind, "reexec")) Ready(), Reexec();
  fprintf(stderr, "resist: no kind %s\n", kind);
  exit(2);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  snprintf(folder, sizeof folder, "%s", argv[2]);
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 3;
  Note();
  Main(argv[1]);
  return 4;
}
