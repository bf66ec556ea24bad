#include "verdict/verdict.h"

#include <csignal>

#include <gmock/gmock.h>

#include "base/text.h"
#include "verdict/failures_for_test.h"

namespace muster::verdict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Judge, SuccessHasNoCause) {
  const Verdict verdict = JudgeLines({"ValueError: handled"}, {.how = ExitClass::kSucceeded});
  EXPECT_EQ(verdict.cause, CauseClass::kNone);
  EXPECT_THAT(verdict.evidence, IsEmpty());
}

struct LineClass {
  const char* line;
  CauseClass cause;
};

TEST(Judge, ClassFollowsFromTheLine) {
  const LineClass table[] = {
      {"ModuleNotFoundError: No module named 'torch'", CauseClass::kMissingModule},
      {"ImportError: libcudart.so.11: cannot open shared object file: No such file or directory",
       CauseClass::kMissingModule},
      {"FileNotFoundError: [Errno 2] No such file or directory: 'x'", CauseClass::kMissingFile},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
       CauseClass::kDeviceMemory},
      {"RuntimeError: NPU out of memory. Tried to allocate", CauseClass::kDeviceMemory},
      {"MemoryError", CauseClass::kHostMemory},
      {"RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate",
       CauseClass::kHostMemory},
      {"The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).",
       CauseClass::kAddressInUse},
      {"RuntimeError: [../gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:1: Connection "
       "reset "
       "by peer",
       CauseClass::kConnectionLost},
      {"torch.distributed.DistBackendError: ncclRemoteError: A call failed",
       CauseClass::kConnectionLost},
      {"PermissionError: [Errno 13] Permission denied: '/x'", CauseClass::kPermission},
      {"AssertionError", CauseClass::kAssertion},
      {"SyntaxError: invalid syntax", CauseClass::kSyntax},
      {"OSError: [Errno 28] No space left on device", CauseClass::kDiskFull},
      {"train.py: error: unrecognized arguments: --data_url=/x", CauseClass::kArguments},
      {"RuntimeError: No CUDA GPUs are available", CauseClass::kNoDevice},
      {"ValueError: bad shape", CauseClass::kPythonError},
      {"[worker0]:KeyError: 'x'", CauseClass::kPythonError},
      {"[rank1]: KeyError: 'x'", CauseClass::kPythonError},
      {"[default1]:[rank1]: KeyError: 'x'", CauseClass::kPythonError},
      {"[1]<stderr>:KeyError: 'x'", CauseClass::kPythonError},
      {"[1,0]<stderr>:KeyError: 'x'", CauseClass::kPythonError},
      {"sh: 1: trian: not found", CauseClass::kMissingFile},
      {"torch.distributed.DistNetworkError: Failed to recv, got 0 bytes. Connection was likely "
       "closed.",
       CauseClass::kConnectionLost},
      {"horovod.common.exceptions.HorovodInternalError: Horovod has been shut down. This was "
       "caused "
       "by an exception on one of the ranks",
       CauseClass::kConnectionLost},
      {"tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:",
       CauseClass::kConnectionLost},
      {"Collective ops is aborted by: Socket closed", CauseClass::kConnectionLost},
      {"[ERROR] DEVICE(1,2,python) RunOpImpl] AllReduceCPUKernelMod launch failed.",
       CauseClass::kConnectionLost},
      {"RuntimeError: The total number of timed out node is 2. Timed out node list is: {0, 1}, "
       "worker 0 is the first one timed out, please check its log.",
       CauseClass::kConnectionLost},
      {"terminate called without an active exception", CauseClass::kThreadLeft},
      {"[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, "
       "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.",
       CauseClass::kCollectiveTimeout},
      {"RuntimeError: [../gloo/transport/tcp/unbound_buffer.cc:84] Timed out waiting 1800000ms "
       "for recv operation to complete",
       CauseClass::kCollectiveTimeout},
      {"RuntimeError: DataLoader worker (pid 77) is killed by signal: Bus error. It is possible "
       "that dataloader's workers are out of shared memory.",
       CauseClass::kSharedMemory},
      {"ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
       "shared memory (shm).",
       CauseClass::kSharedMemory},
      {"RuntimeError: CUDA error: no kernel image is available for execution on the device",
       CauseClass::kDeviceBuild},
      {"RuntimeError: CUDA error: device-side assert triggered", CauseClass::kDeviceAssert},
      {"EI0002: The wait execution of the Notify register times out.",
       CauseClass::kCollectiveTimeout},
      {"EE1002: Stream synchronize timeout", CauseClass::kCollectiveTimeout},
      {"EI0006: Getting socket times out. Reason: Remote Rank did not send the data in time.",
       CauseClass::kConnectionLost},
      {"EJ0001: Failed to initialize the HCCP process.", CauseClass::kDeviceFault},
      {"RuntimeError: ACL stream synchronize failed, error code:507018", CauseClass::kDeviceFault},
      {"[ERROR] NPU function error: aclrtSynchronizeStream, error code is 507014",
       CauseClass::kDeviceFault},
      {"torchrun: error: ambiguous option: --n could match --nnodes, --nproc-per-node",
       CauseClass::kArguments},
      {"OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't "
       "find them in the cached files.",
       CauseClass::kNoNetwork},
      {"OSError: bert-base is not a local folder and is not a valid model identifier listed on "
       "'https://huggingface.co/models'",
       CauseClass::kNoNetwork},
      {"requests.exceptions.ConnectionError: HTTPSConnectionPool(host='huggingface.co', port=443): "
       "Max retries exceeded with url: /x (Caused by NewConnectionError('Connection refused'))",
       CauseClass::kNoNetwork},
      {"urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
       CauseClass::kNoNetwork},
      {"step 507123, error rate 0.1", CauseClass::kUnknown},
      {"nothing special", CauseClass::kUnknown},
  };
  for (const LineClass& expected : table) {
    const Verdict verdict = JudgeLines({"epoch 1", expected.line});
    EXPECT_STREQ(Name(verdict.cause), Name(expected.cause)) << expected.line;
    EXPECT_THAT(verdict.evidence, testing::Contains(expected.line));
    EXPECT_THAT(verdict.advice, Not(IsEmpty()));
  }
}

TEST(Judge, AdviceFollowsTheLine) {
  EXPECT_THAT(JudgeLines({"t.py: error: unrecognized arguments: --local-rank=0"}).advice,
              HasSubstr("torchrun"));
  EXPECT_THAT(JudgeLines({"t.py: error: unrecognized arguments: --data_url=/x"}).advice,
              HasSubstr("--name=value"));
  EXPECT_THAT(JudgeLines({"torchrun: error: ambiguous option: --n could match"}).advice,
              HasSubstr("whole name"));
  EXPECT_THAT(JudgeLines({"EI0002: The wait execution times out"}).advice, HasSubstr("plog"));
  EXPECT_THAT(JudgeLines({"x error code is 507018"}).advice, HasSubstr("plog"));
}

TEST(Judge, PythonErrorPrecedesTheLostConnectionAfterIt) {
  const Verdict verdict = JudgeLines(
      {"ValueError: the cause", "terminating", "RuntimeError: Connection reset by peer"});
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_THAT(verdict.evidence, ElementsAre("ValueError: the cause"));
}

TEST(Judge, PythonErrorPrecedesTheRunningThreadAfterIt) {
  const std::string thread = "terminate called without an active exception";
  const Verdict verdict = JudgeLines({"ValueError: the cause", thread}, Killed(SIGABRT));
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_EQ(JudgeLines({"epoch 3", thread}, Killed(SIGABRT)).cause, CauseClass::kThreadLeft);
  EXPECT_TRUE(JudgeLines({thread}, Killed(SIGABRT)).retry_makes_sense);
}

TEST(Judge, LineWithSeveralMpirunPrefixesIsJoined) {
  const Verdict verdict = JudgeLines(
      {"[1,1]<stderr>:    [1,1]<stderr>:raise ValueError(\"no label\")[1,1]<stderr>:",
       "[1,1]<stderr>:ValueError[1,1]<stderr>:: [1,1]<stderr>:no label[1,1]<stderr>:",
       "[1,0]<stderr>:RuntimeError: Horovod has been shut down. This was caused by an exception"});
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
  EXPECT_THAT(verdict.evidence, ElementsAre("[1,1]<stderr>:ValueError: no label"));
}

TEST(Judge, LastErrorPrecedesAnEarlierWarning) {
  const Verdict verdict =
      JudgeLines({"warning: cache: No such file or directory", "ValueError: the cause"});
  EXPECT_EQ(verdict.cause, CauseClass::kPythonError);
}

TEST(Judge, SummaryOfTorchrunIsIgnored) {
  const Verdict verdict = JudgeLines(
      {"KeyError: 'x'", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
       "  exitcode  : 1 (pid: 77)"});
  EXPECT_THAT(verdict.evidence, ElementsAre("KeyError: 'x'"));
}

// Recorded lines that frameworks print in good runs, or whenever a process ends. They show no
// cause, and they do not hide an error before or after them.
TEST(Judge, HarmlessFrameworkOutputIsIgnored) {
  const char* const harmless[] = {
      // MindSpore 2.10
      "[WARNING] DISTRIBUTED(1,2,python) [cluster_context.cc:316] BuildCluster] Topology build "
      "timed "
      "out., retry(8/1200).",
      "[WARNING] DISTRIBUTED(1,2,python) [connection.cc:79] SocketEventHandler] Event value fd: 9, "
      "errcode: 11, errno: 11 Resource temporarily unavailable, remote peer: 127.0.0.1:52342",
      "    raise ImportError(msg)",
      "ImportError: ",
      "AttributeError: _ARRAY_API not found",
      "A module that was compiled using NumPy 1.x cannot be run in",
      "[WARNING] COMMON(1,2,python) [py_parse.cc:132] operator()] Numpy init failed.",
      "RuntimeError: Distributed job exited with exception. Please check logs in directory: /x.",
      // Horovod 0.28
      "RuntimeError: Horovod detected that one or more processes exited with non-zero status, thus "
      "causing the job to be terminated. The first process to do so was:",
      "Terminating remaining workers after failure of Process 2.",
      // PaddlePaddle 3.3
      "LAUNCH WARNING 2026-11-15 Compatible mode enable with args ['--node_ip']",
      "I1115 tcp_utils.cc:109] Retry to connect to 127.77.0.1:20754 while the server is not yet "
      "listening.",
      "Error Message Summary:",
      "C++ Traceback (most recent call last):",
      "FatalError: `Termination signal` is detected by the operating system.",
      "LAUNCH INFO 2026-11-15 Terminating with signal 15",
      // TensorFlow 2.21
      "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
      "E0000 00:00:1 cuda_executor.cc:1228] INTERNAL: CUDA Runtime error: Failed call to "
      "cudaGetRuntimeVersion: Error loading CUDA libraries. GPU will not be used.",
      "W0000 00:00:1 preemption_notifier.cc:90] SIGTERM caught at 2026-11-15T13:20:07",
      // Open MPI 4.1
      "[node-0:01431] plm:rsh: Warning: setpgid(1441,1441) failed in parent with "
      "errno=Permission denied(13)",
      // torchrun
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
      "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15",
      "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
      "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 1",
  };
  for (const char* line : harmless) {
    EXPECT_EQ(JudgeLines({line}).cause, CauseClass::kUnknown) << line;
    EXPECT_THAT(JudgeLines({"KeyError: 'x'", line}).evidence, ElementsAre("KeyError: 'x'")) << line;
    EXPECT_THAT(JudgeLines({line, "KeyError: 'x'"}).evidence, ElementsAre("KeyError: 'x'")) << line;
  }
}

TEST(Judge, EvidenceContainsThePlaceInTheScript) {
  const Verdict verdict =
      JudgeLines({"Traceback (most recent call last):", "  File \"train.py\", line 3, in <module>",
                  "    x = y[7]", "IndexError: list index out of range"});
  EXPECT_THAT(verdict.evidence, ElementsAre("  File \"train.py\", line 3, in <module>",
                                            "    x = y[7]", "IndexError: list index out of range"));
  const Verdict tagged = JudgeLines(
      {"[rank1]: Traceback (most recent call last):", "[rank1]:   File \"train.py\", line 3",
       "[rank1]:     x = y[7]", "[rank1]: IndexError: list index out of range"});
  EXPECT_THAT(tagged.evidence,
              ElementsAre("[rank1]:   File \"train.py\", line 3", "[rank1]:     x = y[7]",
                          "[rank1]: IndexError: list index out of range"));
}

TEST(Judge, EvidenceIsTheLastLinesIfNoLineMatches) {
  const Verdict verdict = JudgeLines({"a", "b", "", "c", "d", "e", "f", ""});
  EXPECT_THAT(verdict.evidence, ElementsAre("b", "c", "d", "e", "f"));
}

TEST(Judge, ExitCodesOfShellsHaveAClass) {
  EXPECT_EQ(JudgeLines({}, Exited(127)).cause, CauseClass::kMissingFile);
  EXPECT_EQ(JudgeLines({}, Exited(126)).cause, CauseClass::kPermission);
  EXPECT_EQ(JudgeLines({}, Exited(128 + SIGSEGV)).cause, CauseClass::kCrash);
  EXPECT_EQ(JudgeLines({}, Exited(128 + SIGKILL)).cause, CauseClass::kKilled);
  EXPECT_EQ(JudgeLines({}, Exited(255)).cause, CauseClass::kUnknown);
}

TEST(Judge, CrashesAndKillsDiffer) {
  EXPECT_EQ(JudgeLines({}, Killed(SIGABRT)).cause, CauseClass::kCrash);
  EXPECT_EQ(JudgeLines({"terminate called: std::bad_alloc"}, Killed(SIGABRT)).cause,
            CauseClass::kHostMemory);
  EXPECT_EQ(JudgeLines({}, Killed(SIGKILL)).cause, CauseClass::kKilled);
  EXPECT_TRUE(JudgeLines({}, Killed(SIGKILL)).retry_makes_sense);
}

TEST(Judge, MemoryAdviceNamesTheLimitOfTheJob) {
  Job job;
  job.spec.memory = int64_t{1} << 30;
  const Attempt attempt = Failed({.how = ExitClass::kOutOfMemory, .signal = SIGKILL});
  EXPECT_THAT(Judge(job, attempt, {}).advice, HasSubstr(HumanSize(int64_t{1} << 30)));
}

TEST(Judge, AcceptsAnyBytesAndAnyLength) {
  const Verdict verdict =
      JudgeLines({std::string(1 << 20, 'x'), "\xff\xfe\x1b[0m", std::string("\0", 1)});
  for (const std::string& line : verdict.evidence) {
    EXPECT_LT(line.size(), 400u);
    EXPECT_TRUE(IsUtf8(line));
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  }
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "错";
  for (const std::string& line : JudgeLines({wide}).evidence) EXPECT_TRUE(IsUtf8(line));
  EXPECT_EQ(Judge(Job{}, Attempt{}, {}).cause, CauseClass::kLost);
}

TEST(Judge, JsonContainsEveryMember) {
  const json::object object = ToJsonObject(JudgeLines({"ValueError: x"}));
  EXPECT_EQ(
      ToJson(object),
      R"j({"headline":"rank 1 (worker) on node-1 failed first: ValueError: x (exited with code )j"
      R"j(1)","cause":"python_error","rank":1,"evidence":["ValueError: x"],)j"
      R"j("retry_makes_sense":false,)j"
      R"j("advice":"Check the exception and the script line above it."})j");
}

}  // namespace
}  // namespace muster::verdict
