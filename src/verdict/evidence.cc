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
    {"Socket Timeout", CauseClass::kConnectionLost},
    {"FileNotFoundError", CauseClass::kMissingFile},
    {"PermissionError", CauseClass::kPermission},
    {"Permission denied", CauseClass::kPermission},
    {"No such file or directory", CauseClass::kMissingFile},
    {"command not found", CauseClass::kMissingFile},
    {": not found", CauseClass::kMissingFile},
};

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
  return (name.ends_with("Error") || name.ends_with("Exception")) &&
         !name.ends_with("ChildFailedError");  // torchrun telling of a rank that told better
}

// "[worker0]:" in front of a line that torchrun passed on says nothing about the line.
std::string_view WithoutPrefix(std::string_view line) {
  const size_t end = line.substr(0, 64).find("]:");
  return line.starts_with("[") && end != std::string_view::npos ? Trim(line.substr(end + 2)) : line;
}

std::optional<CauseClass> ClassOf(std::string_view line) {
  line = WithoutPrefix(Trim(line.substr(0, kLongestLookedAt)));
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
    if (!Trim(lines[i - 1]).starts_with("File \"")) continue;
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

}  // namespace

Evidence FindEvidence(const std::vector<std::string>& last_lines) {
  std::optional<size_t> fallout;
  for (size_t i = last_lines.size(); i > 0; --i) {
    const std::optional<CauseClass> cause = ClassOf(last_lines[i - 1]);
    if (!cause) continue;
    if (*cause != CauseClass::kConnectionLost) return {*cause, Around(last_lines, i - 1)};
    if (!fallout) fallout = i - 1;
  }
  if (fallout) return {CauseClass::kConnectionLost, Around(last_lines, *fallout)};
  return {CauseClass::kUnknown, LastOnes(last_lines)};
}

}  // namespace muster::verdict
