#include "os/devices.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "base/text.h"

namespace muster::os {
namespace {

std::vector<Path> List(const Path& folder) {
  std::vector<Path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    entries.push_back(it->path());
  }
  return entries;
}

// The N of "<prefix>N"; nothing for other names, such as "nvidiactl".
std::optional<int> NumberedName(const Path& path, std::string_view prefix) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix)) return std::nullopt;
  const auto number = ParseInt(std::string_view(name).substr(prefix.size()));
  if (!number || *number < 0 || *number > 4095) return std::nullopt;
  return int(*number);
}

// A file with lines such as "Model:   NVIDIA H200".
std::optional<Device> ReadNvidia(const Path& information) {
  const auto content = ReadFile(information, 64 << 10);
  if (!content) return std::nullopt;
  Device device{.kind = "gpu", .index = -1, .model = {}, .uuid = {}};
  for (const std::string& line : Split(*content, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string_view key = Trim(std::string_view(line).substr(0, colon));
    const std::string value = Printable(Trim(std::string_view(line).substr(colon + 1)));
    if (key == "Model") device.model = value;
    if (key == "GPU UUID") device.uuid = value;
    if (key == "Device Minor") device.index = int(ParseInt(value).value_or(-1));
    if (key == "GPU Excluded" && value == "Yes") return std::nullopt;
  }
  if (device.index < 0) return std::nullopt;
  return device;
}

void AddNumbered(const Path& dev, std::string_view prefix, const std::string& kind,
                 std::vector<Device>& devices) {
  for (const Path& path : List(dev)) {
    if (const auto index = NumberedName(path, prefix)) {
      devices.push_back({.kind = kind, .index = *index, .model = {}, .uuid = {}});
    }
  }
}

}  // namespace

std::vector<Device> FindDevices(const Path& root) {
  std::vector<Device> devices;
  for (const Path& gpu : List(root / "proc/driver/nvidia/gpus")) {
    if (auto device = ReadNvidia(gpu / "information")) devices.push_back(std::move(*device));
  }
  // Containers may hide /proc/driver and still pass the devices through.
  if (devices.empty()) AddNumbered(root / "dev", "nvidia", "gpu", devices);
  AddNumbered(root / "dev", "davinci", "npu", devices);
  std::ranges::sort(devices, [](const Device& a, const Device& b) {
    return std::tie(a.kind, a.index) < std::tie(b.kind, b.index);
  });
  return devices;
}

int CpuCount() {
  // Machines with more than 1,024 CPUs need a larger cpu_set_t.
  for (int cpus = 1024; cpus <= 1 << 16; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(size_t(cpus));
    if (set == nullptr) break;
    const size_t size = CPU_ALLOC_SIZE(size_t(cpus));
    const int count = ::sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return std::max(1, int(std::thread::hardware_concurrency()));
}

int64_t MemoryLimit(const Path& root) {
  int64_t limit = MemoryTotal();
  for (const char* file :
       {"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const auto text = ReadFile(root / file, 64);
    const auto bytes = text ? ParseInt(Trim(*text)) : std::nullopt;  // "max": no limit
    if (bytes && *bytes > 0) limit = std::min(limit, *bytes);
  }
  return limit;
}

int64_t MemoryTotal() { return int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

}  // namespace muster::os
