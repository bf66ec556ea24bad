#include "cli/code_choice.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/named_files.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

std::string Shown(const fs::path& path) { return ShellQuote(Printable(path.string())); }

std::unexpected<Error> OutsideOf(const os::Path& here, const std::string& path) {
  const fs::path file = (here / path).lexically_normal();
  fs::path around = here;
  for (const fs::path& part : fs::path(path))
    if (part == "..") around = around.parent_path();
  return Fail(
      Code::kInvalid,
      fmt::format("the command names {}, which is outside of {}, the folder that would be sent",
                  Shown(path), Printable(here.string())),
      fmt::format("send the folder around it with --code {} and name files by their paths in "
                  "there, or name the file by its absolute path {}",
                  Shown(around), Shown(file)));
}

}  // namespace

Result<CodeChoice> ChooseCode(const JobSpec& spec, const os::Path& here) {
  CodeChoice choice;
  for (const NamedPath& named : FindNamedPaths(spec, here)) {
    if (named.LeavesFolder()) {
      if (named.IsNeeded() && !named.in_shell) return OutsideOf(here, named.path);
      continue;
    }
    if (named.IsNeeded()) choice.files.push_back(named.path);
    if (!choice.folder.empty()) continue;
    choice.folder = here.string();
    choice.reason = fmt::format("the command names {}", Printable(named.path));
  }
  if (choice.folder.empty())
    choice.reason = fmt::format("the command names no file in {}", Printable(here.string()));
  return choice;
}

Result<std::vector<std::string>> FilesInCode(const JobSpec& spec, const os::Path& here,
                                             const os::Path& folder) {
  for (const NamedPath& named : FindNamedPaths(spec, here)) {
    std::error_code error;
    if (!named.IsNeeded() || fs::exists(folder / named.path, error)) continue;
    const fs::path inside = (here / named.path).lexically_normal().lexically_relative(folder);
    const bool is_inside = !inside.empty() && *inside.begin() != "..";
    return Fail(
        Code::kInvalid,
        fmt::format("the command names {}, which is not in the code folder {}", Shown(named.path),
                    Printable(folder.string())),
        is_inside
            ? fmt::format("the command runs inside of the code folder: name it {}", Shown(inside))
            : fmt::format("send the folder {} with --code or `code:`, or name the file by its "
                          "absolute path {}",
                          Shown(here), Shown((here / named.path).lexically_normal())));
  }
  std::vector<std::string> files;
  for (const NamedPath& named : FindNamedPaths(spec, folder))
    if (named.IsNeeded() && !named.LeavesFolder()) files.push_back(named.path);
  return files;
}

Status CheckWithoutCode(const JobSpec& spec, const os::Path& here) {
  if (!spec.hooks.setup.empty()) return {};
  for (const NamedPath& named : FindNamedPaths(spec, here)) {
    if (!named.is_script || named.in_shell) continue;
    return Fail(Code::kInvalid,
                fmt::format("the command names {}, but the job is sent without code (`none`)",
                            Shown(named.path)),
                fmt::format("leave out the code, or name the file by its absolute path {}",
                            Shown((here / named.path).lexically_normal())));
  }
  return {};
}

}  // namespace muster::cli
