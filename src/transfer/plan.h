#pragma once

#include <cstdint>

namespace muster::transfer {

// What the other end allows of parts, and what is good.
struct PartLimits {
  int64_t least = 5 << 20;          // of all parts but the last
  int64_t most = int64_t{5} << 30;  // of one part
  int64_t most_parts = 10'000;
  int64_t usual = 16 << 20;
  int64_t whole_up_to = 32 << 20;  // this and less goes in one piece
};

struct Part {
  int number = 1;  // from 1
  int64_t offset = 0;
  int64_t length = 0;
};

// How an object of a known size is cut. Pure; parts are numbered from 1, cover the object without
// gaps, and all but the last are `part_size` long.
struct PartPlan {
  int64_t size = 0;
  int64_t part_size = 0;
  int count = 1;  // 1: in one piece

  Part At(int number) const;
};

// Parts of the usual size, larger where there would be too many of them. An object above what all
// parts can hold has as many as are allowed, and the other end refuses it.
PartPlan PlanParts(int64_t size, const PartLimits& limits);

}  // namespace muster::transfer
