#include "launcher/view.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "launcher/isolate.h"
#include "launcher/namespaces.h"
#include "launcher/view_fallback.h"
#include "launcher/view_plan.h"
#include "os/file.h"

namespace muster::launcher {
namespace {

namespace fs = std::filesystem;
using Kind = ViewStep::Kind;

constexpr int64_t kLargestCopy = 1 << 20;  // the new root is in memory

class RealFiles : public MachineFiles {
 public:
  Found Look(const std::string& path) const override {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) return Found::kNothing;
    if (S_ISLNK(status.st_mode)) return Found::kLink;
    return S_ISDIR(status.st_mode) ? Found::kFolder : Found::kFile;
  }
  bool LeadsToFile(const std::string& path) const override {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
  }
  std::vector<std::string> List(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      names.push_back(it->path().filename());
    return names;
  }
  std::string LinkTarget(const std::string& path) const override {
    std::error_code ignored;
    return fs::read_symlink(path, ignored);
  }
};

Status MakeLink(const std::string& path, const std::string& target) {
  MUSTER_TRY(os::MakeDirs(os::Path(path).parent_path()));
  if (symlink(target.c_str(), path.c_str()) != 0 && errno != EEXIST)
    return FailErrno(errno, fmt::format("link {} to {}", path, target));
  return {};
}

Status MakeFile(const std::string& path) {
  MUSTER_TRY(os::MakeDirs(os::Path(path).parent_path()));
  if (auto file = os::Open(path, O_WRONLY | O_CREAT); !file) return std::unexpected(file.error());
  return {};
}

Status Bind(const std::string& source, const std::string& root, const std::string& path) {
  // A recursive bind: binding a part of a mount tree is not permitted in a user namespace.
  if (mount(source.c_str(), (root + path).c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0)
    return {};
  return FailErrno(errno, fmt::format("bind {} to {}", source, path));
}

// Sockets and unreadable files cannot be copied and are bound instead.
Status Copy(const std::string& source, const std::string& root, const std::string& path) {
  struct stat status{};
  const std::string to = root + path;
  if (stat(source.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size <= kLargestCopy) {
    const auto content = os::ReadFile(source, kLargestCopy);
    if (content && os::WriteFileAtomic(to, *content, status.st_mode & 07777, false)) {
      // Fails without the right to change the owner.
      (void)chown(to.c_str(), status.st_uid, status.st_gid);
      (void)chmod(to.c_str(), status.st_mode & 07777);  // chown may clear mode bits
      return {};
    }
  }
  MUSTER_TRY(MakeFile(to));
  return Bind(source, root, path);
}

Status DoStep(const std::string& root, const ViewStep& step) {
  const std::string path = root + step.path;
  switch (step.kind) {
    case Kind::kFolder:
      return os::MakeDirs(path);
    case Kind::kFile:
      return MakeFile(path);
    case Kind::kLink:
      return MakeLink(path, step.source);
    case Kind::kBind:
      return Bind(step.source, root, step.path);
    case Kind::kCopy:
      return Copy(step.source, root, step.path);
  }
  return {};
}

// Sources of mounts are folders of the job, or given by the user.
std::vector<std::string> MakeSources(const View& view) {
  std::vector<std::string> notes;
  for (const ViewMount& mount : view.mounts) {
    if (mount.given) continue;
    if (const auto status = os::MakeDirs(mount.source); !status)
      notes.push_back(status.error().text);
  }
  return notes;
}

Status EnterRoot(const std::string& root, const std::string& folder) {
  // The old root is mounted below the new one and then detached.
  if (chdir(root.c_str()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
      umount2(".", MNT_DETACH) != 0 || mount(nullptr, "/", nullptr, MS_PRIVATE, nullptr) != 0)
    return FailErrno(errno, "enter the view");
  if (chdir(folder.c_str()) != 0) return FailErrno(errno, "return to " + folder);
  return {};
}

// The root is a tmpfs with a few folders, links and empty files; everything else is bound.
Status MountRoot(const std::string& root) {
  MUSTER_TRY(os::MakeDirs(root));
  // The tmpfs must be outside the bound folders, which are bound recursively.
  if (mount("muster", root.c_str(), "tmpfs", 0, "mode=755,size=64m") != 0 ||
      mount(nullptr, root.c_str(), nullptr, MS_UNBINDABLE, nullptr) != 0)
    return FailErrno(errno, "mount a new root");
  return {};
}

std::string Canonical(const std::string& path) {
  std::error_code error;
  const os::Path canonical = fs::canonical(path, error);
  return error ? path : canonical.string();
}

// Paths that must stay visible are also reachable through links outside the hidden folders.
View WithCanonical(View view) {
  std::vector<std::string> keep;
  for (const std::string& path : view.keep) {
    keep.push_back(path);
    if (const std::string canonical = Canonical(path); canonical != path) keep.push_back(canonical);
  }
  view.keep = std::move(keep);
  return view;
}

// The view cannot be left, so it must contain the folder of the node.
Status CheckRoot(const std::string& root, const std::string& folder) {
  struct stat inside{}, outside{};
  if (stat((root + Canonical(folder)).c_str(), &inside) != 0 || stat(folder.c_str(), &outside) != 0)
    return FailErrno(errno, fmt::format("find {} in the view", folder));
  if (inside.st_dev != outside.st_dev || inside.st_ino != outside.st_ino)
    return Fail(Code::kConflict, fmt::format("the view would hide {}", folder));
  return {};
}

Status BuildView(const NodeOrder& order, std::vector<std::string>& notes) {
  const std::string root = order.dir + "/root";
  MUSTER_TRY(MountRoot(root));
  const char* home = std::getenv("HOME");
  ViewPlan plan = PlanView(WithCanonical(*order.view), home != nullptr ? home : "", RealFiles());
  for (const ViewStep& step : plan.steps) {
    if (const auto status = DoStep(root, step); !status)
      plan.missing.push_back(fmt::format("{} ({})", step.path, status.error().text));
  }
  if (!plan.missing.empty()) notes.push_back("missing in the view: " + Join(plan.missing, ", "));
  Status entered = CheckRoot(root, order.dir);
  if (entered) entered = EnterRoot(root, order.dir);
  if (!entered) umount2(root.c_str(), MNT_DETACH);
  std::error_code ignored;
  fs::remove(root, ignored);
  return entered;
}

std::string MissingNames(const View& view) {
  std::vector<std::string> names;
  for (const ViewMount& mount : view.mounts) {
    const bool inner = std::ranges::any_of(view.mounts, [&](const ViewMount& other) {
      return &other != &mount && IsWithin(mount.path, other.path);
    });
    if (!inner && RealFiles().Look(mount.path) == Found::kNothing) names.push_back(mount.path);
  }
  return Join(names, ", ");
}

// The job runs without the names of the view as far as possible.
std::string GoWithout(NodeOrder& order, const Error& cause) {
  const std::string missing = MissingNames(*order.view);
  WithoutView(order,
              [](const std::string& path) { return RealFiles().Look(path) != Found::kNothing; });
  for (const auto& [path, target] : order.view->links) {
    if (const auto status = MakeLink(path, target); !status) LogWarning("{}", status.error().text);
  }
  return fmt::format(
      "this machine does not allow mounts ({}): {} missing, and variables and commands name the "
      "job's own folders instead; run Muster as root or allow user namespaces",
      cause.text, missing.empty() ? "no name is" : missing + " are");
}

// A home folder of the platform must not hide the Python packages in the user's home.
void KeepUserPackages(NodeOrder& order) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0' || std::getenv("PYTHONUSERBASE") != nullptr) return;
  const auto is_set = [](const auto& pair) { return pair.first == "PYTHONUSERBASE"; };
  if (std::ranges::none_of(order.env, is_set))
    order.env.emplace_back("PYTHONUSERBASE", std::string(home) + "/.local");
}

}  // namespace

std::vector<std::string> EnterPlatform(NodeOrder& order) {
  KeepUserPackages(order);
  std::vector<std::string> notes = MakeSources(*order.view);
  Status status = OwnMounts();
  std::ranges::move(Isolate(order), std::back_inserter(notes));
  if (status) status = BuildView(order, notes);
  if (!status) notes.push_back(GoWithout(order, status.error()));
  return notes;
}

void RemoveScratch(const NodeOrder& order) {
  if (!order.view) return;
  for (const ViewMount& mount : order.view->mounts) {
    if (!mount.scratch) continue;
    std::error_code ignored;
    for (fs::directory_iterator it(mount.source, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
      std::error_code busy;
      fs::remove_all(it->path(), busy);
    }
    fs::remove(mount.source, ignored);
  }
}

}  // namespace muster::launcher
