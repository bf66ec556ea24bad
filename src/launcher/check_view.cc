#include "launcher/check_view.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace muster::launcher {
namespace {

bool IsInput(const NodeOrder& order, const ViewMount& mount) {
  return mount.given || mount.source.starts_with(order.attempt_dir + "/inputs/");
}

Status CheckMount(const NodeOrder& order, const ViewMount& mount) {
  struct stat source = {}, shown = {};
  const std::string_view kind = IsInput(order, mount) ? "input" : "folder";
  if (::stat(mount.source.c_str(), &source) != 0) {
    if (!IsInput(order, mount)) return {};
    return Fail(Code::kNotFound,
                fmt::format("the input {} does not exist on this node: {}: {}", mount.path,
                            mount.source, strerror(errno)),
                "check the path in `inputs`");
  }
  const bool exists = ::stat(mount.path.c_str(), &shown) == 0;
  if (!exists && !IsInput(order, mount)) return {};  // reported in the notes of the node
  if (exists && shown.st_dev == source.st_dev && shown.st_ino == source.st_ino) return {};
  return Fail(
      Code::kInternal,
      fmt::format("the {} {} does not show the content of {}", kind, mount.path, mount.source),
      "submit the job again, or without `platform`");
}

}  // namespace

Status CheckView(const NodeOrder& order) {
  if (!order.view) return {};
  for (const ViewMount& mount : order.view->mounts)
    if (!mount.if_absent) MUSTER_TRY(CheckMount(order, mount));
  return {};
}

Status CheckLocalInputs(const NodeOrder& order) {
  for (const auto& [name, path] : order.local_inputs) {
    if (::access(path.c_str(), F_OK) == 0) continue;
    const std::string cause = strerror(errno);
    return Fail(Code::kNotFound, fmt::format("the input {}: {}: {}", name, path, cause),
                "check the path in `inputs`: it must exist on every node");
  }
  return {};
}

}  // namespace muster::launcher
