#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace muster {

// Whether a variable describes the software environment of a shell, which a job takes from the
// shell that submits it: PATH, VIRTUAL_ENV, CONDA_*, PYTHONPATH, PYTHONHOME, LD_LIBRARY_PATH, LANG,
// LANGUAGE, LC_*.
bool IsShellVariable(std::string_view name);

// Whether a variable with this name may hold a secret: one of the parts between underscores ends in
// token, secret, password, key or a similar word. "HF_TOKEN", "OPENAI_APIKEY".
bool IsSecretName(std::string_view name);

// Which variables of the submitting shell a job takes: the value of `env` that is no map, or of
// --export.
struct EnvChoice {
  bool inherit = true;             // all of IsShellVariable
  std::vector<std::string> names;  // and these; "HF_*" stands for all names that begin with HF_

  // Secrets are taken only when their whole name is listed.
  bool Takes(std::string_view name) const;
};

// "inherit", "none", or a list such as "inherit,HF_HOME,NCCL_*". kInvalid names the bad part.
Result<EnvChoice> ParseEnvChoice(std::string_view text);

// Takes the choice out of `env` of a job document whose fields were checked; a map of values
// remains. Items NAME=VALUE of a list become values.
EnvChoice TakeEnvChoice(json::object& document);

// The variables that a job takes, in the order of `entries` ("NAME=value", null at the end).
// Relative folders in PATH and LD_LIBRARY_PATH become absolute: `folder` is the current one.
Pairs TakeShellEnv(const EnvChoice& choice, const char* const* entries, std::string_view folder);

}  // namespace muster
