#include "os/cgroup_mounts.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace muster::os {
namespace {

struct MountLine {
  std::string type;     // "cgroup2"
  std::string root;     // the mounted part of the hierarchy
  std::string point;    // mount point
  std::string options;  // of the hierarchy: "rw,memory"
};

// The kernel writes blanks and backslashes in paths as three octal digits.
std::string Unescape(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(std::min(i + 1, text.size()), 3);
    if (text[i] == '\\' && digits.size() == 3 && std::ranges::all_of(digits, is_octal)) {
      plain += char((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// "35 31 0:32
// /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory", with optional fields before the dash.
std::optional<MountLine> ParseMountLine(std::string_view line) {
  const std::vector<std::string> words = Split(line, ' ');
  const auto dash = std::ranges::find(words, "-");
  if (words.size() < 6 || words.end() - dash < 4) return std::nullopt;
  return MountLine{*(dash + 1), Unescape(words[3]), Unescape(words[4]), *(dash + 3)};
}

// The group of the caller in the hierarchy of `controller` ("" for version 2), from lines such as
// "4:memory:/x" and "0::/y".
std::string OwnGroup(std::string_view cgroup, std::string_view controller) {
  for (const std::string& line : Split(cgroup, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto names = Split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(names, controller) != names.end()) return line.substr(second + 1);
  }
  return "/";
}

Path OwnFolder(const MountLine& mount, const std::string& group) {
  const Path relative = Path(group).lexically_relative(mount.root);
  // The group is outside the mounted part, as in some containers: assume the root.
  if (relative.empty() || relative == "." || *relative.begin() == "..") return mount.point;
  return Path(mount.point) / relative;
}

}  // namespace

std::vector<CgroupMount> ParseCgroupMounts(std::string_view mountinfo, std::string_view cgroup) {
  std::vector<CgroupMount> mounts;
  const auto add = [&](const MountLine& line, std::string_view controller) {
    if (std::ranges::find(mounts, Path(line.point), &CgroupMount::root) != mounts.end()) return;
    const std::vector<std::string> all = Split(line.options, ',');
    const bool memory = controller.empty() || std::ranges::find(all, "memory") != all.end();
    mounts.push_back(
        {controller.empty(), line.point, OwnFolder(line, OwnGroup(cgroup, controller)), memory});
  };
  std::vector<std::string> found;  // controllers; a hierarchy may be mounted at several places
  for (const std::string& text : Split(mountinfo, '\n')) {
    const auto line = ParseMountLine(text);
    if (!line) continue;
    std::vector<std::string> controllers;
    if (line->type == "cgroup2") controllers = {""};
    if (line->type == "cgroup") controllers = Split(line->options, ',');
    for (const std::string& controller : controllers) {
      const bool wanted = controller.empty() || controller == "memory" || controller == "pids" ||
                          controller == "freezer";
      if (!wanted || std::ranges::find(found, controller) != found.end()) continue;
      found.push_back(controller);
      add(*line, controller);
    }
  }
  return mounts;
}

namespace {

std::vector<CgroupMount> ReadCgroupMounts() {
  const auto mountinfo = ReadFile("/proc/self/mountinfo");
  const auto cgroup = ReadFile("/proc/self/cgroup");
  if (!mountinfo || !cgroup) return {};
  return ParseCgroupMounts(*mountinfo, *cgroup);
}

}  // namespace

const std::vector<CgroupMount>& FindCgroupMounts() {
  static const std::vector<CgroupMount> mounts = ReadCgroupMounts();
  return mounts;
}

}  // namespace muster::os
