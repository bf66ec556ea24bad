#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/reading.h"
#include "model/spec.h"

namespace muster {

inline constexpr int64_t kMaxSweepJobs = 10'000;

// `sweep:` of a job file: one job per combination of values.
class Sweep {
 public:
  // Reads the member `sweep` if present; reports faults to `root.reading`.
  explicit Sweep(const Cursor& root);

  int64_t Count() const { return count_; }  // 1 without a sweep, and for one with faults
  bool Empty() const { return axes_.empty(); }

  // The values of a combination; the last name varies fastest.
  Pairs Combination(int64_t index) const;

  // Sets the values of names that are parameters in the roles.
  void SetParameters(const Pairs& values, std::vector<Role>& roles) const;

 private:
  struct Axis {
    std::string name;
    std::vector<std::string> values;
    bool exists = false;        // a role has a parameter of this name
    bool is_parameter = false;  // the values replace that parameter
  };

  void Read(const Cursor& at, const json::value& document);
  void AddAxis(const Cursor& at, std::string_view name, const json::object& document);
  void CheckSize(const Cursor& at, size_t bytes);  // of one job

  std::vector<Axis> axes_;
  int64_t count_ = 1;
};

}  // namespace muster
