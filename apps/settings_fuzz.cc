// What the one who runs the machines writes: flags and file of the server, and the nodes it offers.
#include <set>

#include "apps/settings.h"
#include "base/testing/fuzz.h"
#include "base/text.h"
#include "engines/local/inventory.h"
#include "os/temp_dir.h"

namespace {

using namespace muster;

void CheckSettings(const Result<apps::Settings>& settings) {
  if (!settings) return Require(!settings.error().text.empty());
  Require(settings->port >= 0 && settings->port <= 65535);
  Require(settings->data.is_absolute());
}

void CheckFile(std::string_view text) {
  static const os::TempDir dir;
  const os::Path file = dir / "config.yaml";
  Require(os::WriteFileAtomic(file, text, 0600, false).has_value());
  CheckSettings(apps::ReadSettings({"--config", file.string()}));
}

void CheckNodes(std::string_view text) {
  const auto nodes = engines::ParseVirtualNodes(text, 4);
  if (!nodes) return Require(!nodes.error().text.empty());
  Require(!nodes->empty());
  std::set<std::string> names, addresses;
  for (const NodeInfo& node : *nodes) {
    Require(names.insert(node.name).second && addresses.insert(node.address).second);
    for (const auto& [kind, count] : node.devices) Require(!kind.empty() && count >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto [which, text] = Choose(data, size, 3);
  switch (which) {
    case 0:
      CheckFile(text);
      break;
    case 1: {
      std::vector<std::string> words = Split(text, '\n');
      std::erase_if(
          words, [](const std::string& word) { return word.find("config") != std::string::npos; });
      CheckSettings(apps::ReadSettings(words));
      break;
    }
    case 2:
      CheckNodes(text);
      break;
  }
  return 0;
}
