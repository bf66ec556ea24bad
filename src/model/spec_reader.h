#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// A fault of a job file. All faults are reported together.
struct Fault {
  std::string path;  // "resources.devices"; "" for the whole document
  int line = 0;      // 0 if unknown
  int column = 0;
  std::string found;     // "\"npu:x\"", "a list"
  std::string expected;  // "KIND:COUNT such as npu:8"
  std::string hint;      // "did you mean \"npu:8\"?", or empty
};

// "job.yaml:7:12: resources.devices: found \"npu:x\", expected KIND:COUNT such as npu:8 (…)", one
// line per fault.
std::string FaultText(const std::vector<Fault>& faults, std::string_view file);
json::array FaultsToJson(const std::vector<Fault>& faults);

enum class TextFormat { kGuess, kYaml, kJson };

// Parses YAML or JSON text into a plain JSON document: at most 1 MiB, UTF-8, 64 levels, no
// duplicate keys, aliases expanded to at most 10,000 values. kGuess selects JSON if the first byte
// is '{'. Marks contain the position of each path for the faults of ReadSpec.
struct Marks {
  std::vector<std::pair<std::string, std::pair<int, int>>> at;  // path to line and column
};
std::expected<json::value, std::vector<Fault>> ReadDocument(std::string_view text,
                                                            TextFormat format, Marks* marks);

// One spec, or one per combination if the document has `sweep:`; these share sweep_group "" (the
// server names it). Pure: does not read the disk. Paths stay as written.
std::expected<std::vector<JobSpec>, std::vector<Fault>> ReadSpecs(const json::value& document,
                                                                  const Marks& marks);

// The JSON Schema (draft 2020-12) of the job file, derived from the table that ReadSpecs uses.
json::object JobFileSchema();

}  // namespace muster
