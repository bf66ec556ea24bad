#include "cli/doctor_scripts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/text.h"
#include "checkup/examine.h"
#include "cli/syntax_check.h"

namespace muster::cli {
namespace {

using checkup::Finding;
using checkup::Grade;

// Relative paths are relative to the folder of the script, which contains its code.
std::set<std::string> MissingOf(const checkup::Script& script) {
  const os::Path folder = os::Path(script.name).parent_path();
  std::set<std::string> missing;
  for (const std::string& path : checkup::NamedPaths(script)) {
    std::error_code unknown;
    const bool there = std::filesystem::exists(folder / path, unknown);
    if (!there && !unknown) missing.insert(path);
  }
  return missing;
}

std::string FindingText(const Screen& screen, const std::string& name, const Finding& finding) {
  const bool fails = finding.grade == Grade::kFail;
  std::string text =
      fmt::format("{}:{}: {} {}: {}\n", name, finding.line,
                  screen.Painted(fails ? Paint::kRed : Paint::kYellow, fails ? "FAIL" : "warn"),
                  checkup::RowOf(finding.fault).code, Printable(finding.reason));
  if (finding.line > 0) text += fmt::format("    {}\n", screen.Painted(Paint::kDim, finding.said));
  return text + fmt::format("    next: {}\n", finding.next);
}

}  // namespace

Result<ScriptReport> LookAtScript(const std::string& name) {
  MUSTER_ASSIGN(std::string text, os::ReadFile(name, checkup::kLargestScript));
  const auto language = checkup::LanguageOf(name, text);
  if (!language)
    return Fail(Code::kInvalid,
                fmt::format("cannot examine {}: neither its name nor its first line shows the "
                            "language",
                            Printable(name)),
                "rename the file so that it ends in .py or .sh");
  // bash reports each carriage return as a syntax error; the examination reports the line ends.
  const bool parse = *language == checkup::Language::kPython || !text.contains("\r\n");
  const checkup::Script script{name, *language, std::move(text)};
  const checkup::Surroundings here{MissingOf(script),
                                   parse ? CheckSyntax(*language, name) : std::nullopt};
  return ScriptReport{Printable(name), *language, checkup::Examine(script, here)};
}

std::string ScriptText(const Screen& screen, const ScriptReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) text += FindingText(screen, report.name, finding);
  const auto fails = std::ranges::count(report.findings, Grade::kFail, &Finding::grade);
  const auto warnings = int64_t(report.findings.size()) - fails;
  if (report.findings.empty()) return fmt::format("{}: no findings\n", report.name);
  return text + fmt::format("{}: {}, {}\n", report.name, Counted(fails, "failure"),
                            Counted(warnings, "warning"));
}

json::object ScriptJson(const ScriptReport& report) {
  json::array findings;
  for (const Finding& finding : report.findings) findings.push_back(ToJsonObject(finding));
  return {{"file", report.name}, {"language", Name(report.language)}, {"findings", findings}};
}

Result<int> LookAtScripts(Context& context, const Args& args) {
  json::array files;
  std::string text;
  int code = 0;
  for (const std::string& name : args.words) {
    const auto report = LookAtScript(name);
    if (!report) {
      files.push_back(json::object{{"file", Printable(name)}, {"error", report.error().text}});
      code = std::max(code, Report(context.screen, report.error(), args.Has("json")));
      continue;
    }
    if (checkup::HasFailure(report->findings) || (args.Has("strict") && !report->findings.empty()))
      code = std::max(code, 1);
    files.push_back(ScriptJson(*report));
    text += ScriptText(context.screen, *report);
  }
  context.screen.Out(args.Has("json") ? ToPrettyJson(json::object{{"files", files}}) : text);
  return code;
}

}  // namespace muster::cli
