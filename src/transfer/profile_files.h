#pragma once

#include <string>

#include "os/file.h"
#include "transfer/profile.h"

namespace muster::transfer {

// What was said by hand about the object store, and whose server is meant when nothing was.
struct ProfileChoice {
  std::string endpoint, region, style;
  os::Path data;  // the data directory of the server; empty: its store is not looked for
};

// Reads the environment, profiles.yaml, ~/.aws and endpoint.json. A file that is missing says
// nothing; kDenied for one of ours with secrets in it that others can read.
Result<ProfileSources> ReadProfileSources(const ProfileChoice& choice, const std::string& wanted);

// Both steps in one, for those who start no server: the store that `wanted` or everything else
// says.
Result<Profile> FindProfile(const ProfileChoice& choice, const std::string& wanted);

// Where records of unfinished copies are kept: $XDG_STATE_HOME/muster/transfers, else below
// ~/.local/state; empty when there is no home.
os::Path DefaultRecordFolder();

}  // namespace muster::transfer
