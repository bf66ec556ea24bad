#include "checkup/examine.h"

#include <set>

#include <gmock/gmock.h>

namespace muster::checkup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// "4 fixed-port"; "!" marks a failure.
std::vector<std::string> Codes(const std::vector<Finding>& findings) {
  std::vector<std::string> codes;
  for (const Finding& finding : findings)
    codes.push_back(std::to_string(finding.line) + " " + RowOf(finding.fault).code +
                    (finding.grade == Grade::kFail ? "!" : ""));
  return codes;
}

std::vector<Finding> Shell(std::string text, std::set<std::string> missing = {}) {
  return Examine({"run.sh", Language::kShell, std::move(text)}, {std::move(missing)});
}

std::vector<Finding> Python(std::string text, std::set<std::string> missing = {},
                            std::string name = "train.py") {
  return Examine({std::move(name), Language::kPython, std::move(text)}, {std::move(missing)});
}

TEST(Faults, EachRowHasAUniqueCodeAndTexts) {
  std::set<std::string> codes;
  for (const FaultRow& row : FaultRows()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_NE(std::string(row.reason), "");
    EXPECT_NE(std::string(row.next), "");
    EXPECT_EQ(&RowOf(row.fault), &row);
  }
}

TEST(Ranks, NumberingFromZeroOnSeveralNodesFails) {
  const auto findings = Shell(
      "DEVICE_NUM=4\nRANK_SIZE=8\nfor ((i=0; i<4; i++)); do\n  export RANK_ID=$i\n  ./go\ndone\n");
  EXPECT_THAT(Codes(findings),
              ElementsAre("1 fixed-device-count", "2 fixed-world-size", "4 duplicate-ranks!"));
  EXPECT_THAT(findings[2].reason, HasSubstr("of 8 ranks each node starts 4"));
}

TEST(Ranks, NumberingFromZeroOnOneNodeIsAWarning) {
  EXPECT_THAT(Codes(Shell("for i in $(seq 0 3); do\nRANK=${i} ./go\ndone")),
              ElementsAre("2 duplicate-ranks"));
}

TEST(Ranks, NumberingWithTheNodeHasNoFinding) {
  EXPECT_THAT(Shell("for i in {0..3}; do RANK=$((NODE*4+i)) ./go; done"), IsEmpty());
  EXPECT_THAT(Shell("for i in {4..7}; do RANK=$i ./go; done"), IsEmpty());
  EXPECT_THAT(Python("rank = int(os.environ['NODE']) * 8 + local_rank\n"), IsEmpty());
}

TEST(Ranks, LocalRankAsGlobalRankInPythonIsAWarning) {
  EXPECT_THAT(Codes(Python("os.environ['RANK'] = os.environ['LOCAL_RANK']\n"
                           "dist.init_process_group('nccl', rank=args.local_rank)\n")),
              ElementsAre("1 duplicate-ranks", "2 duplicate-ranks"));
}

TEST(Shards, DeviceAsShardOfAllRanksIsAWarning) {
  EXPECT_THAT(Codes(Python("n = int(os.getenv('RANK_SIZE'))\nd = int(os.getenv('DEVICE_ID'))\n"
                           "data = Load(path, num_shards=n, shard_id=d)\nUse(n=n, d=d)\n")),
              ElementsAre("3 duplicate-shards"));
  EXPECT_THAT(Python("n = int(os.getenv('RANK_SIZE'))\nr = int(os.getenv('RANK_ID'))\n"
                     "data = Load(path, num_shards=n, shard_id=r)\n"),
              IsEmpty());
}

TEST(Network, ConstantRendezvousAddressFails) {
  EXPECT_THAT(Codes(Shell("x --master_addr=10.1.2.3 --master_port 29500")),
              ElementsAre("1 fixed-address!", "1 fixed-port"));
  EXPECT_THAT(Codes(Python("init(init_method='tcp://10.1.2.3:2222')")),
              ElementsAre("1 fixed-address!", "1 fixed-port"));
}

TEST(Network, OtherConstantAddressesAreAWarning) {
  EXPECT_THAT(Codes(Shell("scp a 10.1.2.3:b")), ElementsAre("1 fixed-address"));
  EXPECT_THAT(Codes(Python("get('http://10.1.2.3/a')")), ElementsAre("1 fixed-address"));
}

TEST(Network, LoopbackAndDefaultsHaveNoFinding) {
  EXPECT_THAT(Shell("x --bind=0.0.0.0 --host 127.0.0.1 v1.2.3.4 pkg==1.2.3.4 1.2.3.4.5"),
              IsEmpty());
  EXPECT_THAT(Shell("x --master_port=${MASTER_PORT:-29500} --port=$PORT"), IsEmpty());
  EXPECT_THAT(Python("os.environ.setdefault('MASTER_PORT', '29500')"), IsEmpty());
  EXPECT_THAT(Python("port = int(os.environ['MASTER_PORT'])"), IsEmpty());
}

TEST(Network, ConstantInterfaceNameIsAWarning) {
  EXPECT_THAT(Codes(Shell("horovodrun --network-interface ib0 ./x")),
              ElementsAre("1 fixed-interface"));
  EXPECT_THAT(Shell("export NCCL_SOCKET_IFNAME=$NIC GLOO_SOCKET_IFNAME=lo"), IsEmpty());
}

TEST(Counts, ConstantDeviceAndRankCountsAreWarnings) {
  EXPECT_THAT(Codes(Shell("torchrun --nproc_per_node=8 t.py\nmpirun -np 16 ./a\n"
                          "CUDA_VISIBLE_DEVICES=0,1 ./a")),
              ElementsAre("1 fixed-device-count", "2 fixed-world-size", "3 fixed-device-count"));
  EXPECT_THAT(Shell("torchrun --nproc_per_node=$N t.py; CUDA_VISIBLE_DEVICES=$i ./a"), IsEmpty());
}

TEST(Counts, ConstantDeviceIsAWarning) {
  EXPECT_THAT(Codes(Python("torch.cuda.set_device(0)\nset_context(device_id=0)\n")),
              ElementsAre("1 fixed-device", "2 fixed-device"));
  EXPECT_THAT(Python("torch.cuda.set_device(local)\nplace = CUDAPlace(gpu_id)\n"), IsEmpty());
}

TEST(Launchers, FlagsDroppedByCurrentPaddleFail) {
  const auto findings = Shell(
      "c=\"--selected_gpus=0 --log_dir l\"\npython -m paddle.distributed.launch $c t.py\n"
      "python -m paddle.distributed.launch --cluster_node_ips $A --node_ip=$IP t.py\n");
  EXPECT_THAT(Codes(findings), ElementsAre("1 dropped-flags!", "3 dropped-flags!"));
  EXPECT_THAT(findings[1].reason, HasSubstr("--cluster_node_ips --node_ip: the launcher"));
  EXPECT_THAT(Shell("other --node_ip=$IP"), IsEmpty());
  EXPECT_THAT(Shell("node_ip=$IP; python -m paddle.distributed.launch t.py"), IsEmpty());
}

TEST(Launchers, LocalRankArgumentIsAWarning) {
  const std::string argument = "p.add_argument('--local_rank', type=int, default=0)\n";
  EXPECT_THAT(Codes(Python(argument)), ElementsAre("1 local-rank-argument"));
  EXPECT_THAT(Python(argument + "local = int(os.environ['LOCAL_RANK'])\n"), IsEmpty());
}

TEST(Interfaces, RemovedInterfacesFailWithTheVersion) {
  const auto findings = Python("import paddle.fluid as fluid\nx = fluid.layers.data('x')\n");
  EXPECT_THAT(Codes(findings), ElementsAre("1 gone-interface!"));
  EXPECT_THAT(findings[0].reason, HasSubstr("paddle.fluid is gone since Paddle 2.5"));
  EXPECT_THAT(Codes(Python("import tensorflow as tf\ns = tf.Session()\n")),
              ElementsAre("2 gone-interface!"));
  EXPECT_THAT(Codes(Python("import numpy as np\na = np.zeros(3, np.float)\n")),
              ElementsAre("2 gone-interface!"));
}

TEST(Interfaces, SimilarNamesHaveNoFinding) {
  EXPECT_THAT(Python("import tensorflow.compat.v1 as tf\ns = tf.Session()\n"), IsEmpty());
  EXPECT_THAT(Python("import numpy as np\na = np.float32(1)\nprint('import paddle.fluid')\n"),
              IsEmpty());
}

TEST(Interfaces, ScriptNamedLikeAFrameworkFails) {
  EXPECT_THAT(Codes(Python("x = 1\n", {}, "code/torch.py")), ElementsAre("0 shadowed-module!"));
}

TEST(Platform, ModelArtsScriptWithoutDataUrlIsAWarning) {
  EXPECT_THAT(Codes(Python("import moxing as mox\nargs = p.parse_args()\n")),
              ElementsAre("2 missing-data-url"));
  EXPECT_THAT(Codes(Python("p.add_argument('--data_url')\nargs = p.parse_args()\n")),
              ElementsAre("2 missing-data-url"));
  EXPECT_THAT(Python("p = ArgumentParser()\nargs = p.parse_args()\n"), IsEmpty());
  EXPECT_THAT(Python("p.add_argument('--data_url')\np.add_argument('--train_url')\n"
                     "args = p.parse_args()\n"),
              IsEmpty());
  EXPECT_THAT(Python("args, _ = p.parse_known_args()\n"), IsEmpty());
}

TEST(Platform, MissingPathsAreReported) {
  const Script script{"run.sh", Language::kShell,
                      "cd /data/x && python train.py --out=/cache/o $A/b /dev/null\nsource u.sh\n"};
  EXPECT_THAT(NamedPaths(script), UnorderedElementsAre("/data/x", "train.py", "/cache/o", "u.sh"));
  const auto findings = Examine(script, {{"/cache/o", "u.sh"}});
  EXPECT_THAT(Codes(findings), ElementsAre("1 missing-path", "2 missing-script"));
  EXPECT_THAT(findings[0].reason, HasSubstr("/cache/o is a place of ModelArts"));
  EXPECT_THAT(findings[0].next, HasSubstr("platform: modelarts"));
}

TEST(Platform, PathsWithControlCharactersAreIgnored) {
  const std::string text("cat /data/a\0b /data/\tc\n", 22);
  EXPECT_THAT(NamedPaths({"run.sh", Language::kShell, text}), UnorderedElementsAre("/data"));
}

TEST(Platform, PathsInPythonAreStringLiterals) {
  EXPECT_THAT(NamedPaths({"t.py", Language::kPython, "a = '/cache/a' + x / y\nb = \"/n/\"\n"}),
              UnorderedElementsAre("/cache/a", "/n"));
}

TEST(Endings, BackgroundProcessesWithoutWaitFail) {
  EXPECT_THAT(Codes(Shell("python t.py &\n")), ElementsAre("1 left-behind!"));
  EXPECT_THAT(Codes(Shell("python t.py &\nwait\n")), ElementsAre("2 lost-exit-code"));
  EXPECT_THAT(Shell("python t.py &\npid=$!\nwait $pid\n"), IsEmpty());
  EXPECT_THAT(Shell("tail -F log &\npython t.py\n"), IsEmpty());
}

TEST(Endings, ExitCodeDiscardedByAPipeIsAWarning) {
  EXPECT_THAT(Codes(Shell("python t.py 2>&1 | tee log")), ElementsAre("1 lost-exit-code"));
  EXPECT_THAT(Shell("set -o pipefail\npython t.py | tee log"), IsEmpty());
}

TEST(Endings, ScriptOfAnotherLanguageFails) {
  const auto findings = Shell("bash /w/wrap.sh python /w/run.sh");
  EXPECT_THAT(Codes(findings), ElementsAre("1 wrong-interpreter!"));
  EXPECT_THAT(findings[0].reason, HasSubstr("/w/run.sh is given to python"));
}

TEST(Endings, SleepSudoAndInstallAreWarnings) {
  EXPECT_THAT(Codes(Shell("python t.py && sleep infinity\nsudo make\npip install x\n")),
              ElementsAre("1 never-ends", "2 needs-password", "3 installs"));
}

TEST(Endings, BashFeatureInShScriptIsAWarning) {
  EXPECT_THAT(Codes(Shell("#!/bin/sh\n[[ -f x ]]\n")), ElementsAre("2 bash-only"));
  EXPECT_THAT(Shell("#!/bin/bash\n[[ -f x ]]\n"), IsEmpty());
}

TEST(Text, SyntaxErrorOfTheInterpreterFails) {
  const auto findings = Examine({"t.py", Language::kPython, "x = 1\nif x\n"},
                                {{}, SyntaxError{2, "Python 3.11: expected ':'"}});
  EXPECT_THAT(Codes(findings), ElementsAre("2 syntax-error!"));
  EXPECT_EQ(findings[0].said, "if x");
  EXPECT_THAT(findings[0].reason, HasSubstr("Python 3.11: expected ':'"));
}

TEST(Text, CarriageReturnsFailInShellScripts) {
  EXPECT_THAT(Codes(Shell("#!/bin/bash\r\npython t.py\r\n")), ElementsAre("0 carriage-returns!"));
  EXPECT_THAT(Codes(Python("#!/usr/bin/env python3\r\nx = 1\r\n")),
              ElementsAre("0 carriage-returns"));
  EXPECT_THAT(Python("x = 1\r\n"), IsEmpty());
}

TEST(Text, ConstantRankIsAWarning) {
  EXPECT_THAT(Codes(Shell("export RANK=0\npython t.py\n")), ElementsAre("1 fixed-rank"));
  EXPECT_THAT(Codes(Shell("python t.py --rank 0\n")), ElementsAre("1 fixed-rank"));
  EXPECT_THAT(Codes(Python("os.environ['RANK'] = '0'\n")), ElementsAre("1 fixed-rank"));
  EXPECT_THAT(Codes(Python("dist.init_process_group('nccl', rank=0, world_size=n)\n")),
              ElementsAre("1 fixed-rank"));
}

TEST(Text, DefaultsAndSeveralConstantRanksHaveNoFinding) {
  EXPECT_THAT(Python("rank = 0\nif distributed:\n  rank = dist.get_rank()\n"), IsEmpty());
  EXPECT_THAT(Shell("RANK=${RANK:-0} python t.py\n"), IsEmpty());
  EXPECT_THAT(Shell("RANK=0 ./a\nRANK=1 ./a\n"), IsEmpty());
}

TEST(Examine, EachFaultAppearsOncePerLine) {
  EXPECT_THAT(Codes(Shell("x --ips=10.0.0.1 10.0.0.2")), ElementsAre("1 fixed-address!"));
}

TEST(Examine, ScriptTextIsShortAndPrintable) {
  const auto findings = Shell("x --ips=10.0.0.1 \x1b[31m" + std::string(500, 'y'));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_LT(findings[0].said.size(), 110u);
  EXPECT_FALSE(findings[0].said.contains('\x1b'));
}

TEST(Examine, FileOfOneLongLineIsExamined) {
  std::string flags = "x";
  while (flags.size() < kLargestScript / 16) flags += " --port 1";
  EXPECT_EQ(Shell(flags).size(), 1u);
  std::string equals = "f(";
  while (equals.size() < kLargestScript / 16) equals += "]=";
  EXPECT_THAT(Python(equals), IsEmpty());
}

}  // namespace
}  // namespace muster::checkup
