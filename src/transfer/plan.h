#pragma once

#include <cstdint>

namespace muster::transfer {

// Limits of the other end on parts, and the preferred sizes.
struct PartLimits {
  int64_t least = 5 << 20;          // of all parts but the last
  int64_t most = int64_t{5} << 30;  // of one part
  int64_t most_parts = 10'000;
  int64_t usual = 16 << 20;
  int64_t whole_up_to = 32 << 20;  // up to this size an object is sent in one piece
};

struct Part {
  int number = 1;  // from 1
  int64_t offset = 0;
  int64_t length = 0;
};

// The division of an object of known size into parts. Pure. Parts are numbered from 1, cover the
// object without gaps, and all but the last have `part_size` bytes.
struct PartPlan {
  int64_t size = 0;
  int64_t part_size = 0;
  int count = 1;  // 1 means one piece

  Part At(int number) const;
};

// Parts of the usual size, or larger if there would be too many. An object above the maximum gets
// the maximum number of parts, and the other end refuses it.
PartPlan PlanParts(int64_t size, const PartLimits& limits);

}  // namespace muster::transfer
