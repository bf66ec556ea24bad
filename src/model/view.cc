#include "model/view.h"

#include "model/pairs.h"

namespace muster {
namespace {

json::object ToJson(const ViewMount& mount) {
  json::object object{{"path", mount.path}, {"source", mount.source}};
  if (mount.given) object["given"] = true;
  if (mount.if_absent) object["if_absent"] = true;
  if (mount.scratch) object["scratch"] = true;
  return object;
}

}  // namespace

json::object ToJsonObject(const View& view) {
  json::array mounts;
  for (const ViewMount& mount : view.mounts) mounts.push_back(ToJson(mount));
  return {{"mounts", std::move(mounts)},
          {"links", PairsToJson(view.links)},
          {"keep", WordsToJson(view.keep)}};
}

View ViewFromJson(const json::object& object) {
  View view;
  if (const auto* mounts = GetArray(object, "mounts")) {
    for (const auto& item : *mounts) {
      const auto* mount = item.if_object();
      if (mount == nullptr) continue;
      view.mounts.push_back({.path = std::string(GetString(*mount, "path")),
                             .source = std::string(GetString(*mount, "source")),
                             .given = GetBool(*mount, "given"),
                             .if_absent = GetBool(*mount, "if_absent"),
                             .scratch = GetBool(*mount, "scratch")});
    }
  }
  view.links = PairsFromJson(GetObject(object, "links"));
  view.keep = WordsFromJson(GetArray(object, "keep"));
  return view;
}

}  // namespace muster
