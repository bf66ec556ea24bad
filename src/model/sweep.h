#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

inline constexpr int64_t kMaxSweepJobs = 10'000;

// `sweep:` of a job file: one job for each combination of the values.
class Sweep {
 public:
  // Reads the member `sweep`, if there is one; faults go to `root.reading`.
  explicit Sweep(const Cursor& root);

  int64_t Count() const { return count_; }  // 1 without a sweep, and with one that has faults
  bool Empty() const { return axes_.empty(); }

  // The values of one combination; the last name turns fastest.
  Pairs Combination(int64_t index) const;

  // Puts the values into the parameters of the roles, for names that are parameters.
  void SetParameters(const Pairs& values, std::vector<Role>& roles) const;

 private:
  struct Axis {
    std::string name;
    std::vector<std::string> values;
    bool exists = false;        // some role has a parameter of this name
    bool is_parameter = false;  // its values become that parameter
  };

  void Read(const Cursor& at, const json::value& document);
  void AddAxis(const Cursor& at, std::string_view name, const json::object& document);
  void CheckSize(const Cursor& at, size_t bytes);  // of one job

  std::vector<Axis> axes_;
  int64_t count_ = 1;
};

}  // namespace muster
