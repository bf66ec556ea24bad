#pragma once

#include <string>

#include "os/file.h"
#include "transfer/profile.h"

namespace muster::transfer {

// Command-line choices of the object store, and the server that is the default.
struct ProfileChoice {
  std::string endpoint, region, style;
  os::Path data;  // data directory of the server; empty to ignore its store
};

// Reads the environment, profiles.yaml, ~/.aws and endpoint.json. Missing files are ignored.
// kDenied if a file of Muster with secrets is readable by others.
Result<ProfileSources> ReadProfileSources(const ProfileChoice& choice, const std::string& wanted);

// ReadProfileSources and ChooseProfile in one step, for callers that start no server.
Result<Profile> FindProfile(const ProfileChoice& choice, const std::string& wanted);

// Folder of the journals of unfinished copies: $XDG_STATE_HOME/muster/transfers, else below
// ~/.local/state; empty without a home folder.
os::Path DefaultRecordFolder();

}  // namespace muster::transfer
