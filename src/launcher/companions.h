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
  std::string_view path;  // relative to the folder of packages
  std::string_view text;
};
std::span<const CompanionFile> CompanionFiles();  // generated at build time

// Writes the packages to a folder below DATA that is named by their content and appears atomically.
// The server calls it once before it starts launchers. Another version of the executable uses
// another folder, so that running jobs keep theirs.
Status LayOutCompanions(const os::Path& data);

// Computes the name of the folder, which is slow. A process that forks launchers calls it once.
void KnowCompanions();

class Companions {
 public:
  Companions() = default;
  // The companions in the data directory of the attempt; missing ones are omitted. Reads the disk,
  // before the node enters a view. `whole` is a folder of packages that was found complete before,
  // which skips the check of each file; may be empty.
  static Companions For(const NodeOrder& order, const std::string& whole = "");
  const std::string& packages() const { return packages_; }

  // Must be called last: variables of the user have precedence. Idempotent.
  void AddTo(Environment& environment) const;
  // Keeps the companions visible in the view of a node.
  void KeepIn(View& view) const;

 private:
  void AddStore(Environment& environment) const;

  std::string packages_, executable_, endpoint_file_;  // empty if missing
  bool own_aws_ = false;                               // the user has AWS settings on disk
  struct Store {
    std::string endpoint, access_key, secret_key, region;
  } store_;
};

}  // namespace muster::launcher
