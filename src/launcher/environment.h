#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/spec.h"

namespace muster::launcher {

// An environment for execve. Later settings replace earlier ones with the same name.
class Environment {
 public:
  // Which part of the launcher's environment a job inherits.
  enum class Part {
    kAll,           // the job was submitted without the environment of a shell
    kWithoutShell,  // the job has PATH, PYTHONPATH and so on (IsShellVariable) of its submitter
  };
  // The launcher's environment without secrets (IsSecretName), without MUSTER_ variables (a
  // client's server and token among them), and without what describes the session or the service
  // that the server was started in.
  static Environment Inherited(const char* const* entries, Part part = Part::kAll);
  // Exactly these entries; entries that are not "NAME=value" are omitted.
  static Environment Of(std::span<const std::string> entries);

  void Set(std::string name, std::string value);
  void Set(const Pairs& pairs);
  void SetEntry(std::string entry);  // "NAME=value"
  bool Has(std::string_view name) const;
  std::string Get(std::string_view name) const;  // empty if not set
  const std::vector<std::string>& entries() const { return entries_; }

 private:
  std::vector<std::string> entries_;
};

}  // namespace muster::launcher
