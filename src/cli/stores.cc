#include "cli/stores.h"

#include <fmt/format.h>

#include "cli/connect.h"
#include "transfer/profile_files.h"

namespace muster::cli {
namespace {

// An empty value is usually an unset variable, and the default is not what the user meant.
Status CheckNamed(const Args& args) {
  for (const char* flag : {"profile", "endpoint"}) {
    if (!args.Has(flag) || !args.Get(flag).empty()) continue;
    return Fail(Code::kInvalid, fmt::format("--{}: it is empty", flag),
                fmt::format("name one, or leave --{} out", flag));
  }
  return {};
}

// The store of the server that receives jobs.
Result<transfer::Profile> OfServer(Context& context, const Args& args,
                                   transfer::ProfileChoice choice) {
  MUSTER_ASSIGN(const auto api, Connect(context, args));
  const Wanted wanted = WantedServer(args);
  const auto local = ReadEndpoint(wanted.data);
  if (!local || local->url != api->url()) {
    return Fail(Code::kNotFound,
                fmt::format("the object store of {} is not known on this machine", api->url()),
                "name it with --profile, or with --endpoint and AWS_ACCESS_KEY_ID");
  }
  choice.data = wanted.data;
  return transfer::FindProfile(choice, "");
}

}  // namespace

std::vector<Flag> WithStoreFlags(std::vector<Flag> own) {
  const Flag flags[] = {
      {"profile", 0, "NAME", "the object store of this name in profiles.yaml or ~/.aws"},
      {"endpoint", 0, "URL", "the object store at this address (keys: AWS_ACCESS_KEY_ID, …)"},
      {"region", 0, "NAME", "the region that signatures are for"},
      {"style", 0, "STYLE", "path or virtual: where the bucket stands in an address"}};
  own.insert(own.end(), std::begin(flags), std::end(flags));
  return own;
}

std::unique_ptr<transfer::Stores> OpenStores(Context& context, const Args& args) {
  return std::make_unique<transfer::Stores>(
      [&context, &args](const std::string& name) -> Result<transfer::Profile> {
        MUSTER_TRY(CheckNamed(args));
        const transfer::ProfileChoice choice{
            args.Get("endpoint"), args.Get("region"), args.Get("style"), {}};
        auto profile = transfer::FindProfile(choice, name.empty() ? args.Get("profile") : name);
        const bool named = !name.empty() || args.Has("profile");
        if (profile || profile.error().code != Code::kNotFound || named) return profile;
        return OfServer(context, args, choice);
      });
}

}  // namespace muster::cli
