#include "cli/job_faults.h"

namespace muster::cli {

Result<JobInput> ReadJobOf(Context& context, const Args& args, std::optional<int>& exit_code) {
  std::error_code error;
  const os::Path here = std::filesystem::current_path(error);
  if (error) return FailErrno(error.value(), "find the current folder");
  std::vector<Fault> faults;
  auto input = ReadJobInput(args, here, &faults);
  if (input || faults.empty() || !args.Has("json")) return input;
  const json::object body{{"code", CodeName(input.error().code)},
                          {"message", input.error().text},
                          {"next", input.error().next},
                          {"faults", FaultsToJson(faults)}};
  context.screen.Err(ToJson(json::object{{"error", body}}) + "\n");
  exit_code = 2;
  return input;
}

}  // namespace muster::cli
