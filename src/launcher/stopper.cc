#include "launcher/stopper.h"

#include <algorithm>
#include <array>

namespace muster::launcher {
namespace {

using enum StopState;
using A = StopAction;

constexpr int64_t kLongestGraceMs = int64_t(30) * 86'400'000;  // one month

using Row = std::array<StopStep, kStopEventCount>;

// clang-format off
constexpr std::array<Row, kStopStateCount> kTable = {{
  //               kStop                   kHookEnded          kAllEnded               kLookDue                kDeadline               kNothingLeft
  /* kRunning  */ {{{kHook, A::kRunHook},   {kRunning, A::kNone},  {kAsked, A::kFarewell}, {kRunning, A::kNone},   {kRunning, A::kNone},   {kRunning, A::kNone}}},
  /* kHook     */ {{{kHook, A::kHasten},    {kAsked, A::kAsk},     {kHook, A::kNone},      {kHook, A::kNone},      {kAsked, A::kCutHook},  {kHook, A::kNone}}},
  /* kAsked    */ {{{kAsked, A::kHasten},   {kAsked, A::kNone},    {kAsked, A::kLook},     {kAsked, A::kLook},     {kSweeping, A::kSweep}, {kClean, A::kProve}}},
  /* kSweeping */ {{{kSweeping, A::kNone},  {kSweeping, A::kNone}, {kSweeping, A::kSweep}, {kSweeping, A::kSweep}, {kSweeping, A::kNone},  {kClean, A::kProve}}},
  /* kClean    */ {{{kClean, A::kNone},     {kClean, A::kNone},    {kClean, A::kNone},     {kClean, A::kNone},     {kClean, A::kNone},     {kClean, A::kNone}}},
}};
// clang-format on

}  // namespace

StopStep NextStop(StopState state, StopEvent event) { return kTable[size_t(state)][size_t(event)]; }

int64_t GraceOf(StoppedBy by, int64_t ordered_ms, int64_t told_ms) {
  const int64_t grace =
      std::clamp<int64_t>(told_ms >= 0 ? told_ms : ordered_ms, 0, kLongestGraceMs);
  return by == StoppedBy::kRankFailure ? std::min(grace, kFailureGraceMs) : grace;
}

bool RunsStopHook(StoppedBy by) {
  return by == StoppedBy::kUser || by == StoppedBy::kPreemption || by == StoppedBy::kTimeLimit;
}

bool CutsFailureHook(StoppedBy by) {
  return by == StoppedBy::kUser || by == StoppedBy::kPreemption;
}

}  // namespace muster::launcher
