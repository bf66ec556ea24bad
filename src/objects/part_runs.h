#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::objects {

// The lengths of the parts that an object was made of, in order: so many of so many bytes each.
// Clients send parts of one length and a last one, so that two runs tell ten thousand.
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

// "COUNT:SIZE COUNT:SIZE", hexadecimal. Empty for what is too varied to be kept.
std::string WritePartRuns(const PartRuns& runs);
PartRuns ReadPartRuns(std::string_view text);  // empty when it is none

}  // namespace muster::objects
