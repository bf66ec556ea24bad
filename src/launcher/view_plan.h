#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/view.h"

namespace muster::launcher {

// How a view is made: a new root, empty at first, into which the machine's own folders are bound
// one by one beside those of the job. A folder of the machine in which a name is missing is built
// anew out of what it holds; so nothing is ever created on the machine itself. The files of /etc
// are copied then: programs replace them by renaming new ones, which no bound file allows.
// Decides only.

enum class Found { kNothing, kFolder, kFile, kLink };

// The machine's file system as far as a plan looks at it.
class MachineFiles {
 public:
  virtual ~MachineFiles() = default;
  virtual Found Look(const std::string& path) const = 0;                       // a link is a link
  virtual bool LeadsToFile(const std::string& path) const = 0;                 // links followed
  virtual std::vector<std::string> List(const std::string& folder) const = 0;  // names
  virtual std::string LinkTarget(const std::string& path) const = 0;
};

struct ViewStep {
  enum class Kind { kFolder, kFile, kLink, kBind, kCopy };
  Kind kind = Kind::kFolder;
  std::string path;    // inside the new root
  std::string source;  // of a bind or copy, on the machine; of a link, where it leads
  bool operator==(const ViewStep&) const = default;
};

struct ViewPlan {
  std::vector<ViewStep> steps;       // in their order
  std::vector<std::string> missing;  // names that will not be there, and why
};

// `home` is what no crowded folder may lose, beside what the view itself keeps.
ViewPlan PlanView(const View& view, const std::string& home, const MachineFiles& machine);

// Whether `path` is `folder` or lies in it.
bool IsWithin(std::string_view path, std::string_view folder);

}  // namespace muster::launcher
