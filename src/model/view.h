#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/spec.h"

namespace muster {

// The file system view of a node's processes: folders of the job under the names that scripts of a
// platform expect. dialect/ decides it, launcher/view.h creates it.

struct ViewMount {
  std::string path;        // absolute path inside the view
  std::string source;      // source on the machine; created as a folder if missing
  bool given = false;      // given by the user: never created, and reported if missing
  bool if_absent = false;  // only if the machine has no such path
  bool scratch = false;    // removed with the attempt
  bool operator==(const ViewMount&) const = default;
};

struct View {
  std::vector<ViewMount> mounts;  // outer paths precede inner ones
  Pairs links;                    // path inside to link target
  std::vector<std::string> keep;  // machine paths that no mount may hide
  bool operator==(const View&) const = default;
};

json::object ToJsonObject(const View& view);
View ViewFromJson(const json::object& object);

}  // namespace muster
