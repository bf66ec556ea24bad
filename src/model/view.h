#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/spec.h"

namespace muster {

// What the processes of a node see beside the machine's own file system: folders of the job under
// the names that a platform's scripts know. dialect/ decides it, launcher/view.h makes it.

struct ViewMount {
  std::string path;        // the name inside, absolute
  std::string source;      // what stands behind it on the machine; made as a folder if missing
  bool given = false;      // by the user: never made, and a missing one is said
  bool if_absent = false;  // only where the machine has nothing of this name
  bool scratch = false;    // removed with the attempt
  bool operator==(const ViewMount&) const = default;
};

struct View {
  std::vector<ViewMount> mounts;  // outer ones before those inside of them
  Pairs links;                    // path inside -> where it leads
  std::vector<std::string> keep;  // paths of the machine that no mount may hide
  bool operator==(const View&) const = default;
};

json::object ToJsonObject(const View& view);
View ViewFromJson(const json::object& object);

}  // namespace muster
