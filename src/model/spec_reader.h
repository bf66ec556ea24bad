#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// One thing wrong with a job file. All of them are reported together.
struct Fault {
  std::string path;  // "resources.devices", "" for the whole document
  int line = 0;      // 0 when unknown
  int column = 0;
  std::string found;     // "\"npu:x\"", "a list"
  std::string expected;  // "KIND:COUNT such as npu:8"
  std::string hint;      // "did you mean \"npu:8\"?", or empty
};

// "job.yaml:7:12: resources.devices: found \"npu:x\", expected KIND:COUNT such as npu:8 (…)", a
// line each.
std::string FaultText(const std::vector<Fault>& faults, std::string_view file);
json::array FaultsToJson(const std::vector<Fault>& faults);

enum class TextFormat { kGuess, kYaml, kJson };

// Reads YAML or JSON text to a plain JSON document: at most 1 MiB, UTF-8, 64 levels, no duplicate
// keys, aliases expanded to at most 10,000 values. kGuess takes JSON when the first byte is '{'.
// Marks remember where each path stood, for the faults of ReadSpec.
struct Marks {
  std::vector<std::pair<std::string, std::pair<int, int>>> at;  // path -> line, column
};
std::expected<json::value, std::vector<Fault>> ReadDocument(std::string_view text,
                                                            TextFormat format, Marks* marks);

// One spec, or one a combination when the document has `sweep:`; they share sweep_group "" (the
// server names it). Pure: looks at no disk. Paths stay as written.
std::expected<std::vector<JobSpec>, std::vector<Fault>> ReadSpecs(const json::value& document,
                                                                  const Marks& marks);

// The published JSON Schema (draft 2020-12) of the job file, made from the same table that
// ReadSpecs reads by.
json::object JobFileSchema();

}  // namespace muster
