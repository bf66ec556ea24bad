#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::objects {

// The lengths of an object's parts in order, as runs of equal length. Clients send parts of one
// length and a shorter last one, so two runs suffice for ten thousand parts.
struct PartRun {
  int64_t count = 0, size = 0;
  bool operator==(const PartRun&) const = default;
};
using PartRuns = std::vector<PartRun>;

void AddPart(PartRuns& runs, int64_t size);
int64_t CountParts(const PartRuns& runs);
int64_t TotalSize(const PartRuns& runs);

struct PartPlace {
  int64_t offset = 0, size = 0;
};
std::optional<PartPlace> PlaceOfPart(const PartRuns& runs, int64_t number);  // from 1

// "COUNT:SIZE COUNT:SIZE" in hexadecimal. Empty if there are too many runs.
std::string WritePartRuns(const PartRuns& runs);
PartRuns ReadPartRuns(std::string_view text);  // empty for invalid text

}  // namespace muster::objects
