#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "launcher/environment.h"
#include "model/order.h"
#include "os/file.h"

namespace muster::launcher {

// What comes with the platform to every process of a job: the Python packages that the executable
// carries, first on Python's path, and the server's object store in the variables that its clients
// read. None of it is in the order: the key of the attempt is in a file that only the owner reads.

struct CompanionFile {
  std::string_view path;  // below the folder of packages
  std::string_view text;
};
std::span<const CompanionFile> CompanionFiles();  // generated

// Writes the packages below DATA, into a folder named by their content that is there as a whole or
// not at all. Once, by the server, before it starts launchers; an executable of another version has
// a folder of its own, so that running jobs keep theirs.
Status LayOutCompanions(const os::Path& data);

// Finds out their name, which takes longer than all else here. A process that forks launchers calls
// it once for all of them.
void KnowCompanions();

class Companions {
 public:
  Companions() = default;
  // Those of the data directory that the attempt lies in: what is not there is left out. Looks at
  // the disk; before the node gets a view of its own. `whole` is the folder of packages that was
  // found whole before, by which each file need not be looked at again; or empty.
  static Companions For(const NodeOrder& order, const std::string& whole = "");
  const std::string& packages() const { return packages_; }

  // To be called last: a user's own values stay. Doing it again changes nothing.
  void AddTo(Environment& environment) const;
  // What the view of a node must not hide.
  void KeepIn(View& view) const;

 private:
  void AddStore(Environment& environment) const;

  std::string packages_, executable_, endpoint_file_;  // empty: not there
  bool own_aws_ = false;                               // the user has settings for AWS on disk
  struct Store {
    std::string endpoint, access_key, secret_key, region;
  } store_;
};

}  // namespace muster::launcher
