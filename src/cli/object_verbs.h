#pragma once

#include "cli/context.h"
#include "cli/flags.h"
#include "cli/screen.h"
#include "transfer/objects.h"

namespace muster::cli {

// The arguments of the subcommands of `muster objects`.
struct ObjectsCall {
  Context& context;
  const Args& args;
  std::vector<transfer::Location> places;  // the places after the subcommand
  transfer::Stores& stores;
  transfer::Objects& objects;
};

// "ls", "rm", … in the order of the help.
std::vector<std::string_view> ObjectVerbNames();

Result<int> ListPlaces(ObjectsCall& call);     // ls
Result<int> SumSizes(ObjectsCall& call);       // du
Result<int> MakeBuckets(ObjectsCall& call);    // mb
Result<int> RemoveBuckets(ObjectsCall& call);  // rb
Result<int> RemoveObjects(ObjectsCall& call);  // rm
Result<int> PrintObjects(ObjectsCall& call);   // cat
Result<int> ShowObjects(ObjectsCall& call);    // stat
Result<int> SignAddress(ObjectsCall& call);    // presign
Result<int> ManageKeys(ObjectsCall& call);     // key; parses its own words

// Writes an object, or a range of it, to standard output. A closed pipe (`| head`) ends it silently
// with the exit code that a shell gives for SIGPIPE.
Result<int> PrintBytes(Screen& screen, transfer::Objects& objects, const transfer::Location& place,
                       int64_t offset = 0, int64_t length = -1);

}  // namespace muster::cli
