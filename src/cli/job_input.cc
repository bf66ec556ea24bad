#include "cli/job_input.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/code_choice.h"
#include "cli/job_flags.h"
#include "model/default_name.h"
#include "model/shell_env.h"
#include "model/source.h"
#include "model/variables.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kReadAtMost = 16 << 20;  // the reader rejects files above 1 MiB with a position

// A job file with its name for messages and the folder of its relative paths.
struct JobFile {
  std::string shown;  // "job.yaml"
  os::Path folder;
  json::object document;
  Marks marks;
};

Error Faulty(const std::vector<Fault>& faults, const std::string& shown, std::vector<Fault>* all) {
  if (all != nullptr) *all = faults;
  std::string text = FaultText(faults, shown);
  while (text.ends_with('\n')) text.pop_back();
  return {
      Code::kInvalid,
      fmt::format("{} in the job:\n{}",
                  faults.size() == 1 ? "one fault" : fmt::format("{} faults", faults.size()), text),
      "muster schema prints what a job file may say"};
}

bool LooksLikeJobFile(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

Result<std::string> ReadText(const std::string& word) {
  if (word == "-") return os::ReadFile("/dev/stdin", kReadAtMost);
  std::error_code error;
  if (fs::is_directory(word, error))
    return Fail(
        Code::kInvalid, fmt::format("{} is a folder, expected a job file", word),
        fmt::format("name a file in it, such as {}", (fs::path(word) / "job.yaml").string()));
  auto text = os::ReadFile(word, kReadAtMost);
  if (!text && text.error().code == Code::kNotFound && !LooksLikeJobFile(word))
    return Fail(Code::kInvalid, fmt::format("there is no job file {}", ShellQuote(Printable(word))),
                "put a command behind --: muster run -- python3 train.py");
  // Any read error is a fault of the given job file.
  if (!text) text.error().code = Code::kInvalid;
  return text;
}

Result<JobFile> ReadJobFile(const std::string& word, const os::Path& here,
                            std::vector<Fault>* faults) {
  if (word.ends_with(".py") || word.ends_with(".sh"))
    return Fail(Code::kInvalid, fmt::format("{} is a script, expected a job file", Printable(word)),
                fmt::format("put it behind --: muster run -- {}", Printable(word)));
  MUSTER_ASSIGN(const std::string text, ReadText(word));
  JobFile file;
  file.shown = word == "-" ? "standard input" : word;
  file.folder = word == "-" ? here : (here / word).parent_path();
  const auto format = word.ends_with(".json") ? TextFormat::kJson : TextFormat::kGuess;
  auto document = ReadDocument(text, format, &file.marks);
  if (!document) return std::unexpected(Faulty(document.error(), file.shown, faults));
  if (!document->is_object())
    return std::unexpected(
        Faulty({{.path = "", .found = "no map", .expected = "a map such as {run: train.py}"}},
               file.shown, faults));
  file.document = std::move(document->get_object());
  return file;
}

bool IsUrl(std::string_view path) { return path.find("://") != std::string_view::npos; }

// Keeps absolute paths and replaces "~/" by the home folder. A value that begins with a variable is
// decided by `expanded`, its value after reading.
json::string AbsolutePath(std::string_view written, std::string_view expanded,
                          const os::Path& folder) {
  const std::string_view seen = written.starts_with("${") ? expanded : written;
  if (seen.empty() || IsUrl(seen) || seen.starts_with('/')) return json::string(written);
  if (written.starts_with("~/"))
    if (const char* home = std::getenv("HOME"))
      return json::string((fs::path(home) / written.substr(2)).lexically_normal().string());
  // The folder part is escaped, because its name may contain `${`.
  const fs::path joined = fs::path(EscapeVariables(folder.string())) / written;
  std::string text = joined.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return json::string(text);
}

const std::string* Find(const Pairs& pairs, std::string_view name) {
  for (const auto& pair : pairs)
    if (pair.first == name) return &pair.second;
  return nullptr;
}

// Makes the paths in a map absolute; those from flags are relative to `here`.
void Resolve(json::object& document, std::string_view key, const Pairs& expanded,
             const Pairs& flags, const os::Path& folder, const os::Path& here) {
  json::value* member = document.if_contains(key);
  json::object* paths = member ? member->if_object() : nullptr;
  if (!paths) return;
  for (auto& entry : *paths) {
    json::value* place = &entry.value();
    if (json::object* parts = place->if_object())
      place = parts->if_contains(key == "inputs" ? "from" : "to");
    json::string* written = place == nullptr ? nullptr : place->if_string();
    if (!written) continue;
    const std::string* meant = Find(expanded, entry.key());
    const bool by_flag = Find(flags, entry.key()) != nullptr;
    *written =
        AbsolutePath(*written, meant ? *meant : std::string(*written), by_flag ? here : folder);
  }
}

// Every output with its destination, with variables replaced.
Pairs OutputPlaces(const JobSpec& spec) {
  Pairs places = spec.outputs;
  for (const Publishing& one : spec.published)
    for (auto& [name, place] : places)
      if (name == one.name) place = one.to;
  return places;
}

// The value of `python`, made absolute if it is a path, because ranks run in another folder.
void ResolvePython(json::object& document, const FlagValues& flags, const os::Path& folder,
                   const os::Path& here) {
  json::value* member = document.if_contains("python");
  json::string* python = member ? member->if_string() : nullptr;
  if (python && std::string_view(*python).contains('/'))
    *python = AbsolutePath(*python, *python, flags.python ? here : folder);
}

// All jobs of a sweep use one code folder or one prefix in a bucket.
Status CheckCode(const std::vector<JobSpec>& specs) {
  const std::string& code = specs.front().code;
  if (IsUrl(code) && !IsFar(code))
    return Fail(Code::kInvalid,
                fmt::format("code: found {}, expected a folder of this machine or of a bucket",
                            ShellQuote(Printable(code))));
  for (const JobSpec& spec : specs)
    if (spec.code != code)
      return Fail(
          Code::kInvalid,
          fmt::format("code: found {} and {} in one sweep, expected one folder for all jobs",
                      ShellQuote(Printable(code)), ShellQuote(Printable(spec.code))));
  return {};
}

// Sets the code of the job: the folder that the user named, else the one that ChooseCode finds.
// `here` is the folder that relative paths in the commands refer to.
Status SettleCode(const JobSpec& spec, bool without, const os::Path& named_from,
                  const os::Path& here, JobInput& input) {
  if (without) {
    input.code_reason = "--code none, or `code: none`";
    return CheckWithoutCode(spec, here);
  }
  if (!spec.code.empty()) {
    const json::string folder = AbsolutePath(EscapeVariables(spec.code), spec.code, named_from);
    input.document["code"] = folder;
    if (IsFar(spec.code)) return {};
    const std::string plain(AbsolutePath(spec.code, spec.code, named_from));
    MUSTER_ASSIGN(input.named_files, FilesInCode(spec, here, plain));
    return {};
  }
  MUSTER_ASSIGN(CodeChoice choice, ChooseCode(spec, here));
  input.code_reason = std::move(choice.reason);
  input.named_files = std::move(choice.files);
  if (!choice.folder.empty()) input.document["code"] = EscapeVariables(choice.folder);
  return {};
}

// What `env` of the job file says, with --export over it. `env` of the base becomes a map.
Result<EnvChoice> ChooseEnv(const Args& args, FlagValues& flags, JobInput& input) {
  const json::value* env = flags.base->if_contains("env");
  const bool said_in_file = env != nullptr && (env->is_string() || env->is_array());
  input.env_by_default = !said_in_file && !args.Has("export");
  EnvChoice choice = TakeEnvChoice(*flags.base);
  if (!args.Has("export")) return choice;
  auto flag = ParseEnvChoice(args.Get("export"));
  if (!flag) flag.error().text = "--export: " + flag.error().text;
  return flag;
}

// What the job takes from this shell goes into the internal part of its document.
void PutShell(const EnvChoice& choice, const os::Path& here, json::object& document) {
  json::object env;
  for (const auto& [name, value] : TakeShellEnv(choice, environ, here.string()))
    env[name] = EscapeVariables(value);
  json::object shell{{"env", std::move(env)}};
  if (choice.inherit) shell["folder"] = EscapeVariables(here.string());
  json::value& internal = document["muster"];
  if (!internal.is_object()) internal = json::object();
  internal.get_object()["shell"] = std::move(shell);
}

}  // namespace

void ForgetLocalPaths(JobInput& input) {
  if (!input.env_by_default) return;
  json::object& internal = input.document["muster"].get_object();
  json::object kept;
  for (const auto& [name, value] : internal["shell"].at("env").get_object())
    if (name.starts_with("LANG") || name.starts_with("LC_")) kept[name] = value;
  internal["shell"] = json::object{{"env", std::move(kept)}};
  for (JobSpec& spec : input.specs) spec.submit_dir.clear();
}

Result<JobInput> ReadJobInput(const Args& args, const os::Path& here, std::vector<Fault>* faults) {
  JobInput input;
  JobFile file{"command line", here, {}, {}};
  if (!args.words.empty()) {
    MUSTER_ASSIGN(file, ReadJobFile(args.words[0], here, faults));
  } else if (LooksLikeJobFile(args.Get("framework"))) {
    return Fail(Code::kInvalid,
                fmt::format("--framework {}: expected a framework, found a job file",
                            ShellQuote(Printable(args.Get("framework")))),
                fmt::format("leave out -f: muster run {}", ShellQuote(args.Get("framework"))));
  } else if (args.rest.empty()) {
    return Fail(Code::kInvalid, "there is nothing to run",
                "name a job file, or a command behind --: muster run -- python3 train.py");
  }
  MUSTER_ASSIGN(FlagValues flags, ReadJobFlags(args));
  if (args.Has("code")) flags.code = args.Get("code").empty() ? "." : args.Get("code");
  flags.base = std::move(file.document);
  input.document = DocumentFromFlags(flags, &file.marks);
  auto specs = ReadSpecs(input.document, file.marks);
  if (!specs) return std::unexpected(Faulty(specs.error(), file.shown, faults));
  MUSTER_ASSIGN(const EnvChoice choice, ChooseEnv(args, flags, input));
  input.document = DocumentFromFlags(flags, &file.marks);
  const bool without = GetString(input.document, "code") == kNoCode;
  if (without) input.document.erase("code");
  PutShell(choice, here, input.document);
  const JobSpec& first = specs->front();
  MUSTER_TRY(CheckCode(*specs));
  MUSTER_TRY(SettleCode(first, without, flags.code ? here : file.folder,
                        args.rest.empty() ? file.folder : here, input));
  ResolvePython(input.document, flags, file.folder, here);
  Resolve(input.document, "inputs", first.inputs, flags.inputs, file.folder, here);
  Resolve(input.document, "outputs", OutputPlaces(first), flags.outputs, file.folder, here);
  if (json::value* logs = input.document.if_contains("logs"); logs && logs->is_string())
    *logs = AbsolutePath(logs->get_string(), first.logs, file.folder);
  auto resolved = ReadSpecs(input.document, file.marks);
  if (!resolved) return std::unexpected(Faulty(resolved.error(), file.shown, faults));
  input.specs = std::move(*resolved);
  input.code = input.specs.front().code;
  return input;
}

}  // namespace muster::cli
