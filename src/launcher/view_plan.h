#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/view.h"

namespace muster::launcher {

// The plan of a view: a new empty root into which the folders of the machine and of the job are
// bound. A machine folder that lacks a required name is rebuilt from its entries, so that nothing
// is created on the machine itself. The files of /etc are then copied, because programs replace
// them by rename, which a bound file does not permit. Decides only.

enum class Found { kNothing, kFolder, kFile, kLink };

// The part of the machine's file system that a plan reads.
class MachineFiles {
 public:
  virtual ~MachineFiles() = default;
  virtual Found Look(const std::string& path) const = 0;        // does not follow a symbolic link
  virtual bool LeadsToFile(const std::string& path) const = 0;  // follows symbolic links
  virtual std::vector<std::string> List(const std::string& folder) const = 0;  // names of entries
  virtual std::string LinkTarget(const std::string& path) const = 0;
};

struct ViewStep {
  enum class Kind { kFolder, kFile, kLink, kBind, kCopy };
  Kind kind = Kind::kFolder;
  std::string path;    // inside the new root
  std::string source;  // bind or copy: path on the machine; link: its target
  bool operator==(const ViewStep&) const = default;
};

struct ViewPlan {
  std::vector<ViewStep> steps;       // in order
  std::vector<std::string> missing;  // names that the view will lack, with reasons
};

// `home` must stay visible even if a crowded folder is reduced, in addition to what the view keeps.
ViewPlan PlanView(const View& view, const std::string& home, const MachineFiles& machine);

// Whether `path` is `folder` or is below it.
bool IsWithin(std::string_view path, std::string_view folder);

}  // namespace muster::launcher
