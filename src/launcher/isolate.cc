#include "launcher/isolate.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "os/file.h"

namespace muster::launcher {
namespace {

constexpr int64_t kLargestHostsFile = 1 << 20;

std::string Because(std::string_view what) { return fmt::format("{}: {}", what, strerror(errno)); }

Status OwnHostName(const std::string& name) {
  if (unshare(CLONE_NEWUTS) != 0) return Fail(Code::kDenied, Because("no host name of its own"));
  if (sethostname(name.data(), name.size()) != 0)
    return Fail(Code::kInvalid, Because(fmt::format("cannot set host name {}", name)));
  return {};
}

Status OwnHostsFile(const NodeOrder& order) {
  const os::Path mine = os::Path(order.dir) / "hosts";
  const auto machine = os::ReadFile("/etc/hosts", kLargestHostsFile);
  MUSTER_TRY(os::WriteFileAtomic(mine, HostsText(order, machine ? *machine : ""), 0644, false));
  if (unshare(CLONE_NEWNS) != 0) return Fail(Code::kDenied, Because("no hosts file of its own"));
  // Without this the mount below would be visible outside.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount(mine.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0)
    return Fail(Code::kDenied, Because("cannot mount its own hosts file"));
  return {};
}

bool IsHostWord(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
}

}  // namespace

std::string HostsText(const NodeOrder& order, std::string_view machine) {
  std::string text = "127.0.0.1 localhost\n::1 localhost\n";
  const auto add = [&](const std::string& address, const std::string& name) {
    if (IsHostWord(address) && IsHostWord(name)) text += fmt::format("{} {}\n", address, name);
  };
  for (const auto& [address, name] : *order.hosts) add(address, name);
  for (const auto& [node, name] : *order.aliases)
    if (node >= 0 && size_t(node) < order.hosts->size())
      add((*order.hosts)[size_t(node)].first, name);
  text += machine;
  if (text.back() != '\n') text += '\n';
  return text;
}

std::vector<std::string> Isolate(const NodeOrder& order) {
  std::vector<std::string> notes;
  const std::string& name = order.hostname.empty() ? order.node_name : order.hostname;
  if (order.isolate)
    if (const auto status = OwnHostName(name); !status) notes.push_back(status.error().text);
  if (!order.isolate && order.aliases->empty()) return notes;
  if (const auto status = OwnHostsFile(order); !status) notes.push_back(status.error().text);
  return notes;
}

}  // namespace muster::launcher
