#include "launcher/view_plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

using Kind = ViewStep::Kind;

// A home folder may contain thousands of entries, each of which would be a mount.
constexpr size_t kMostEntries = 512;
// Every program needs all of it.
constexpr std::string_view kSettings = "/etc";

std::string Parent(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string Child(const std::string& folder, const std::string& name) {
  return folder == "/" ? "/" + name : folder + "/" + name;
}

class Planner {
 public:
  Planner(const View& view, const std::string& home, const MachineFiles& machine)
      : view_(view), home_(home), machine_(machine) {}

  ViewPlan Make() {
    Choose();
    for (const ViewMount* mount : mounts_) OpenFor(mount->path);
    for (const auto& [path, target] : view_.links) OpenFor(path);
    Rebuild("/");
    for (const ViewMount* mount : mounts_) Bind(mount->path, mount->source);
    for (const std::string& kept : view_.keep) {
      if (IsHidden(kept) && machine_.Look(kept) != Found::kNothing) Bind(kept, kept);
    }
    for (const auto& [path, target] : view_.links) Add(Kind::kLink, path, target);
    return std::move(plan_);
  }

 private:
  void Choose() {
    for (const ViewMount& mount : view_.mounts) {
      if (mount.if_absent && machine_.Look(mount.path) != Found::kNothing) continue;
      if (mount.given && machine_.Look(mount.source) == Found::kNothing) {
        plan_.missing.push_back(fmt::format("{} (there is no {})", mount.path, mount.source));
        continue;
      }
      mounts_.push_back(&mount);
    }
  }

  bool IsHidden(std::string_view path) const {
    return std::ranges::any_of(
        mounts_, [path](const ViewMount* mount) { return IsWithin(path, mount->path); });
  }

  // Whether the machine has exactly this path without symbolic links: a mount would follow them out
  // of the new root.
  bool IsPlainlyThere(const std::string& path) const {
    for (std::string at = path; at != "/"; at = Parent(at)) {
      const Found found = machine_.Look(at);
      if (found == Found::kNothing || found == Found::kLink) return false;
    }
    return true;
  }

  // Folders between the root and a missing name are created anew.
  void OpenFor(const std::string& path) {
    if (IsPlainlyThere(path)) return;
    for (std::string at = Parent(path); at != "/"; at = Parent(at)) {
      if (!IsHidden(at) && machine_.Look(at) != Found::kNothing) open_.insert(at);
    }
  }

  void Rebuild(const std::string& folder) {
    const std::vector<std::string> names = machine_.List(folder);
    const bool crowded = names.size() > kMostEntries && folder != kSettings;
    for (const std::string& name : names) {
      const std::string path = Child(folder, name);
      if (IsMountPoint(path) || (crowded && !IsNeeded(path))) continue;
      if (open_.contains(path)) {
        Add(Kind::kFolder, path, "");
        Rebuild(path);
      } else if (machine_.Look(path) == Found::kLink) {
        Add(Kind::kLink, path, machine_.LinkTarget(path));
      } else if (folder == kSettings && machine_.Look(path) == Found::kFile) {
        Add(Kind::kCopy, path, path);
      } else {
        Bind(path, path);
      }
    }
    if (crowded) {
      plan_.missing.push_back(
          fmt::format("most of {} (it holds {} entries)", folder, names.size()));
    }
  }

  bool IsMountPoint(std::string_view path) const {
    return std::ranges::any_of(mounts_,
                               [&](const ViewMount* mount) { return mount->path == path; });
  }

  bool IsNeeded(const std::string& path) const {
    if (open_.contains(path) || IsWithin(home_, path)) return true;
    return std::ranges::any_of(view_.keep,
                               [&](const std::string& kept) { return IsWithin(kept, path); });
  }

  // A missing source is a folder that will be created.
  void Bind(const std::string& path, const std::string& source) {
    Add(machine_.LeadsToFile(source) ? Kind::kFile : Kind::kFolder, path, "");
    Add(Kind::kBind, path, source);
  }

  void Add(Kind kind, const std::string& path, const std::string& source) {
    plan_.steps.push_back({kind, path, source});
  }

  const View& view_;
  const std::string& home_;
  const MachineFiles& machine_;
  std::vector<const ViewMount*> mounts_;
  std::set<std::string> open_;
  ViewPlan plan_;
};

}  // namespace

bool IsWithin(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/';
}

ViewPlan PlanView(const View& view, const std::string& home, const MachineFiles& machine) {
  return Planner(view, home, machine).Make();
}

}  // namespace muster::launcher
