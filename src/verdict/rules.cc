#include "verdict/rules.h"

#include <algorithm>

#include "base/text.h"

namespace muster::verdict {

namespace {

struct Rule {
  std::string_view text;  // a substring of the line
  CauseClass cause;
};

// The first matching rule decides, so more specific texts precede general ones.
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
    {"insufficient shared memory", CauseClass::kSharedMemory},
    {"is killed by signal: Bus error", CauseClass::kSharedMemory},
    {"Unexpected bus error encountered in worker", CauseClass::kSharedMemory},
    {"can't allocate memory", CauseClass::kHostMemory},
    {"Cannot allocate memory", CauseClass::kHostMemory},
    {"MemoryError", CauseClass::kHostMemory},
    {"std::bad_alloc", CauseClass::kHostMemory},
    {"No CUDA GPUs are available", CauseClass::kNoDevice},
    {"Found no NVIDIA driver", CauseClass::kNoDevice},
    {"invalid device ordinal", CauseClass::kNoDevice},
    {"Torch not compiled with CUDA enabled", CauseClass::kNoDevice},
    {"no CUDA-capable device", CauseClass::kNoDevice},
    {"no kernel image is available", CauseClass::kDeviceBuild},
    {"device-side assert", CauseClass::kDeviceAssert},
    {"Watchdog caught collective operation timeout", CauseClass::kCollectiveTimeout},
    {"milliseconds before timing out", CauseClass::kCollectiveTimeout},
    {"for recv operation to complete", CauseClass::kCollectiveTimeout},  // gloo
    {"for send operation to complete", CauseClass::kCollectiveTimeout},
    {"EI0002", CauseClass::kCollectiveTimeout},  // HCCL: a notify wait timed out
    {"EE1002", CauseClass::kCollectiveTimeout},  // CANN: a stream synchronisation timed out
    {"EI0006", CauseClass::kConnectionLost},     // HCCL: no socket between two ranks
    {"EJ0001", CauseClass::kDeviceFault},        // HCCP did not initialise
    {"Address already in use", CauseClass::kAddressInUse},
    {"EADDRINUSE", CauseClass::kAddressInUse},
    {"ModuleNotFoundError", CauseClass::kMissingModule},
    {"ImportError", CauseClass::kMissingModule},
    {"No module named", CauseClass::kMissingModule},
    {"unrecognized arguments:", CauseClass::kArguments},
    {"the following arguments are required", CauseClass::kArguments},
    {"error: argument ", CauseClass::kArguments},
    {"error: ambiguous option:", CauseClass::kArguments},
    {"SyntaxError", CauseClass::kSyntax},
    {"IndentationError", CauseClass::kSyntax},
    {"TabError", CauseClass::kSyntax},
    {"AssertionError", CauseClass::kAssertion},
    {"Assertion `", CauseClass::kAssertion},
    {"We couldn't connect to 'http", CauseClass::kNoNetwork},
    {"Couldn't reach", CauseClass::kNoNetwork},
    {"HTTPSConnectionPool(host=", CauseClass::kNoNetwork},
    {"HTTPConnectionPool(host=", CauseClass::kNoNetwork},
    {"Max retries exceeded with url", CauseClass::kNoNetwork},
    {"LocalEntryNotFoundError", CauseClass::kNoNetwork},
    {"is not a local folder and is not a valid model identifier", CauseClass::kNoNetwork},
    {"<urlopen error", CauseClass::kNoNetwork},
    {"Temporary failure in name resolution", CauseClass::kNoNetwork},
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

// Lines that look like errors and show no cause: launchers and crash handlers print them whenever a
// process ends, and a library prints one of them and continues.
constexpr std::string_view kIgnored[] = {
    "ChildFailedError",                       // torchrun, after the output of the failed rank
    "SignalException",                        // torchrun, when it is stopped
    "Horovod detected that one or more",      // horovodrun, after the output of the failed rank
    "Distributed job exited with exception",  // msrun, after the output of the failed rank
    "is detected by the operating system.",   // Paddle, for any signal
    "plm:rsh: Warning: setpgid(",  // Open MPI, when the agent starts before the fork ends
    "_ARRAY_API not found",        // NumPy 2, for modules built with NumPy 1
};
// NumPy prints this bare line before its advice to such a module.
constexpr std::string_view kBareImportError = "ImportError:";
// A source line in a traceback; the exception itself follows below it.
constexpr std::string_view kSourceLine = "raise ";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '.';
}

// "ValueError: …", "torch.something.CustomException: …": the last line of a Python traceback.
bool IsException(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && IsNameChar(line[end])) ++end;
  const std::string_view name = line.substr(0, end);
  if (end < line.size() && line[end] != ':') return false;
  return name.ends_with("Error") || name.ends_with("Exception");
}

// A six-digit code 507xxx of the Ascend runtime, in a line that calls it an error code.
bool HasAscendRuntimeCode(std::string_view line) {
  const std::string lower = Lower(line);
  if (!lower.contains("error code") && !lower.contains("errorcode") && !lower.contains("retcode"))
    return false;
  for (size_t at = line.find("507"); at != std::string_view::npos; at = line.find("507", at + 1)) {
    const size_t end = std::min(line.find_first_not_of("0123456789", at), line.size());
    if (end - at == 6 && (at == 0 || !IsDigit(line[at - 1]))) return true;
  }
  return false;
}

}  // namespace

std::optional<CauseClass> ClassOfLine(std::string_view line) {
  if (line == kBareImportError || line.starts_with(kSourceLine) ||
      std::ranges::any_of(kIgnored, [line](std::string_view text) { return line.contains(text); }))
    return std::nullopt;
  for (const Rule& rule : kRules) {
    if (line.contains(rule.text)) return rule.cause;
  }
  if (HasAscendRuntimeCode(line)) return CauseClass::kDeviceFault;
  return IsException(line) ? std::optional(CauseClass::kPythonError) : std::nullopt;
}

}  // namespace muster::verdict
