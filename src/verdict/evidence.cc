#include "verdict/evidence.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace muster::verdict {

namespace {

constexpr size_t kMaxLines = 5;
constexpr size_t kMaxLength = 300;
constexpr size_t kLongestLookedAt = 4096;

struct Rule {
  std::string_view text;  // anywhere in the line
  CauseClass cause;
};

// The more telling text stands first: a line is of the first rule that it has.
constexpr Rule kRules[] = {
    {"No space left on device", CauseClass::kDiskFull},
    {"Disk quota exceeded", CauseClass::kDiskFull},
    {"CUDA out of memory", CauseClass::kDeviceMemory},
    {"CUDA error: out of memory", CauseClass::kDeviceMemory},
    {"NPU out of memory", CauseClass::kDeviceMemory},
    {"Out of memory error on GPU", CauseClass::kDeviceMemory},
    {"CUBLAS_STATUS_ALLOC_FAILED", CauseClass::kDeviceMemory},
    {"HIP out of memory", CauseClass::kDeviceMemory},
    {"ResourceExhaustedError", CauseClass::kDeviceMemory},
    {"can't allocate memory", CauseClass::kHostMemory},
    {"Cannot allocate memory", CauseClass::kHostMemory},
    {"MemoryError", CauseClass::kHostMemory},
    {"std::bad_alloc", CauseClass::kHostMemory},
    {"No CUDA GPUs are available", CauseClass::kNoDevice},
    {"Found no NVIDIA driver", CauseClass::kNoDevice},
    {"invalid device ordinal", CauseClass::kNoDevice},
    {"Torch not compiled with CUDA enabled", CauseClass::kNoDevice},
    {"no CUDA-capable device", CauseClass::kNoDevice},
    {"Address already in use", CauseClass::kAddressInUse},
    {"EADDRINUSE", CauseClass::kAddressInUse},
    {"ModuleNotFoundError", CauseClass::kMissingModule},
    {"ImportError", CauseClass::kMissingModule},
    {"No module named", CauseClass::kMissingModule},
    {"unrecognized arguments:", CauseClass::kArguments},
    {"the following arguments are required", CauseClass::kArguments},
    {"error: argument ", CauseClass::kArguments},
    {"SyntaxError", CauseClass::kSyntax},
    {"IndentationError", CauseClass::kSyntax},
    {"TabError", CauseClass::kSyntax},
    {"AssertionError", CauseClass::kAssertion},
    {"Assertion `", CauseClass::kAssertion},
    {"gloo/transport", CauseClass::kConnectionLost},
    {"connectFullMesh", CauseClass::kConnectionLost},
    {"ncclRemoteError", CauseClass::kConnectionLost},
    {"ncclSystemError", CauseClass::kConnectionLost},
    {"NCCL communicator was aborted", CauseClass::kConnectionLost},
    {"Connection reset by peer", CauseClass::kConnectionLost},
    {"Connection closed by peer", CauseClass::kConnectionLost},
    {"Connection refused", CauseClass::kConnectionLost},
    {"BrokenPipeError", CauseClass::kConnectionLost},
    {"Broken pipe", CauseClass::kConnectionLost},
    {"Socket Timeout", CauseClass::kConnectionLost},
    {"DistNetworkError", CauseClass::kConnectionLost},
    {"Horovod has been shut down", CauseClass::kConnectionLost},
    {"errors_impl.UnavailableError", CauseClass::kConnectionLost},         // TensorFlow
    {"Collective ops is aborted by", CauseClass::kConnectionLost},         // TensorFlow
    {"AllReduceCPUKernelMod launch failed", CauseClass::kConnectionLost},  // MindSpore
    {"is the first one timed out", CauseClass::kConnectionLost},           // MindSpore's scheduler
    {"terminate called without an active exception", CauseClass::kThreadLeft},
    {"FileNotFoundError", CauseClass::kMissingFile},
    {"PermissionError", CauseClass::kPermission},
    {"Permission denied", CauseClass::kPermission},
    {"No such file or directory", CauseClass::kMissingFile},
    {"command not found", CauseClass::kMissingFile},
    {": not found", CauseClass::kMissingFile},
};

// What looks like an exception and tells nothing: launchers and crash handlers add it when a
// process ends, and a library that can do without another one shows it and goes on.
constexpr std::string_view kEchoes[] = {
    "ChildFailedError",                       // torchrun, of a rank that told better
    "SignalException",                        // torchrun, when it is stopped
    "Horovod detected that one or more",      // horovodrun, of a rank that told better
    "Distributed job exited with exception",  // msrun, of a rank that told better
    "is detected by the operating system.",   // Paddle, of any signal
    "plm:rsh: Warning: setpgid(",             // Open MPI, of an agent that was up before it knew
    "_ARRAY_API not found",                   // NumPy 2, to what was built with NumPy 1
};
// The head of NumPy's advice to such a module, which follows on lines of its own.
constexpr std::string_view kBareImportError = "ImportError:";
// A line of the script in a traceback, which may well go on: what it raised stands below.
constexpr std::string_view kSourceLine = "raise ";

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

// "ValueError: …", "torch.something.CustomException: …": how Python ends a traceback.
bool IsException(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && IsNameChar(line[end])) ++end;
  const std::string_view name = line.substr(0, end);
  if (end < line.size() && line[end] != ':') return false;
  return name.ends_with("Error") || name.ends_with("Exception");
}

std::string_view WithoutOnePrefix(std::string_view line) {
  const size_t end = line.substr(0, 64).find(']');
  if (!line.starts_with("[") || end == std::string_view::npos) return line;
  const std::string_view rest = line.substr(end + 1);
  for (const std::string_view mark : {": ", ":", "<stdout>:", "<stderr>:"}) {
    if (rest.starts_with(mark)) return rest.substr(mark.size());
  }
  return line;
}

// "[worker0]:" of torchrun, "[1]<stderr>:" of horovodrun and mpirun, in front of a line that was
// passed on, and "[rank1]: ", which PyTorch 2 puts before tracebacks, say nothing about the line.
// There may be two of them.
std::string_view WithoutPrefix(std::string_view line) {
  return WithoutOnePrefix(WithoutOnePrefix(line));
}

// A rank that does not buffer writes a line in pieces, and mpirun tags each of them:
// "[1,1]<stderr>:ValueError[1,1]<stderr>:: bad shape". One tag is enough.
std::string TaggedOnce(std::string_view line) {
  std::string_view rest = WithoutOnePrefix(line);
  const std::string_view tag = line.substr(0, line.size() - rest.size());
  std::string whole(tag);
  if (!tag.ends_with("<stdout>:") && !tag.ends_with("<stderr>:")) return whole.append(rest);
  for (size_t at = rest.find(tag); at != std::string_view::npos; at = rest.find(tag)) {
    whole += rest.substr(0, at);
    rest.remove_prefix(at + tag.size());
  }
  return whole.append(rest);
}

std::vector<std::string> TaggedOnce(const std::vector<std::string>& lines) {
  std::vector<std::string> whole;
  whole.reserve(lines.size());
  for (const std::string& line : lines) whole.push_back(TaggedOnce(std::string_view(line)));
  return whole;
}

std::optional<CauseClass> ClassOf(std::string_view line) {
  line = Trim(WithoutPrefix(Trim(line.substr(0, kLongestLookedAt))));
  if (line == kBareImportError || line.starts_with(kSourceLine) ||
      std::ranges::any_of(kEchoes, [line](std::string_view echo) { return line.contains(echo); })) {
    return std::nullopt;
  }
  for (const Rule& rule : kRules) {
    if (line.contains(rule.text)) return rule.cause;
  }
  return IsException(line) ? std::optional(CauseClass::kPythonError) : std::nullopt;
}

std::string Shown(std::string_view line) {
  std::string text = Printable(line.substr(0, kLongestLookedAt));
  if (text.size() <= kMaxLength) return text;
  size_t end = kMaxLength;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // between characters
  return text.substr(0, end) + "…";
}

// The line itself and, of a traceback, the place in the script above it.
std::vector<std::string> Around(const std::vector<std::string>& lines, size_t at) {
  std::vector<std::string> shown;
  for (size_t i = at; i > 0 && at - i < kMaxLines; --i) {
    if (!Trim(WithoutPrefix(lines[i - 1])).starts_with("File \"")) continue;
    for (size_t j = i - 1; j < at && j < i + 1; ++j) shown.push_back(Shown(lines[j]));
    break;
  }
  shown.push_back(Shown(lines[at]));
  return shown;
}

std::vector<std::string> LastOnes(const std::vector<std::string>& lines) {
  std::vector<std::string> shown;
  for (size_t i = lines.size(); i > 0 && shown.size() < kMaxLines; --i) {
    if (!Trim(lines[i - 1]).empty()) shown.push_back(Shown(lines[i - 1]));
  }
  std::reverse(shown.begin(), shown.end());
  return shown;
}

// May stand behind a complaint that says why.
bool IsFallout(CauseClass cause) {
  return cause == CauseClass::kConnectionLost || cause == CauseClass::kThreadLeft;
}

struct Complaint {
  size_t line = 0;
  CauseClass cause = CauseClass::kUnknown;
};

std::optional<Complaint> FindComplaint(const std::vector<std::string>& lines) {
  std::optional<Complaint> fallout;
  for (size_t i = lines.size(); i > 0; --i) {
    const std::optional<CauseClass> cause = ClassOf(lines[i - 1]);
    if (!cause) continue;
    if (!IsFallout(*cause)) return Complaint{i - 1, *cause};
    if (!fallout) fallout = Complaint{i - 1, *cause};
  }
  return fallout;
}

}  // namespace

Evidence FindEvidence(const std::vector<std::string>& last_lines) {
  const std::vector<std::string> lines = TaggedOnce(last_lines);
  const std::optional<Complaint> found = FindComplaint(lines);
  if (!found) return {CauseClass::kUnknown, LastOnes(lines)};
  return {found->cause, Around(lines, found->line)};
}

bool EndsInTraceback(const std::vector<std::string>& last_lines) {
  const std::vector<std::string> lines = TaggedOnce(last_lines);
  const std::optional<Complaint> found = FindComplaint(lines);
  if (!found || IsFallout(found->cause)) return false;
  const std::string_view exception = lines[found->line];
  const std::string_view tag =
      exception.substr(0, exception.size() - WithoutPrefix(exception).size());
  // Between its head and the exception all lines are indented. Those of other ranks that a launcher
  // passed on in between have other tags.
  for (size_t i = found->line; i > 0; --i) {
    if (!lines[i - 1].starts_with(tag)) continue;
    const std::string_view line = WithoutPrefix(lines[i - 1]);
    if (line.starts_with("Traceback (most recent call last)")) return true;
    if (!line.starts_with(" ")) return false;
  }
  return false;
}

}  // namespace muster::verdict
