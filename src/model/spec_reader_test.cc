#include "model/spec_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

// The only job of a text that has no faults.
JobSpec Read(std::string_view text) {
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  if (!document) {
    ADD_FAILURE() << FaultText(document.error(), "job.yaml");
    return {};
  }
  const auto specs = ReadSpecs(*document, marks);
  if (!specs) {
    ADD_FAILURE() << FaultText(specs.error(), "job.yaml");
    return {};
  }
  EXPECT_THAT(*specs, SizeIs(1));
  return specs->front();
}

TEST(SpecReaderTest, OneLineIsAJobWithEveryDefault) {
  JobSpec expected;
  expected.name = "train";
  expected.roles = {Role{.run = {.text = "train.py", .words = {}}}};
  EXPECT_EQ(Read("run: train.py\n"), expected);
}

TEST(SpecReaderTest, CodeNoneIsAJobWithoutCodeNamedByItsCommand) {
  EXPECT_EQ(Read("run: train.py\ncode: none\n"), Read("run: train.py\n"));
  EXPECT_EQ(Read("run: x\ncode: ./none\n").code, "./none");
}

TEST(SpecReaderTest, ReadsNodesTimesDevices) {
  const JobSpec spec = Read("run: x\nresources: {nodes: 2, devices: npu:8, memory: 4GiB}\n");
  ASSERT_THAT(spec.roles, SizeIs(1));
  EXPECT_EQ(spec.roles[0].name, "worker");
  EXPECT_EQ(spec.roles[0].nodes, 2);
  EXPECT_EQ(spec.roles[0].devices, (DeviceRequest{.kind = "npu", .count = 8}));
  EXPECT_EQ(spec.roles[0].ranks, 8);
  EXPECT_EQ(spec.memory, int64_t{4} << 30);
  EXPECT_EQ(spec.TotalRanks(), 16);
}

TEST(SpecReaderTest, DevicesMayBeWrittenInParts) {
  const JobSpec spec = Read("run: x\nresources: {devices: {kind: tpu, count: 4}, ranks: 1}\n");
  EXPECT_EQ(spec.roles[0].devices, (DeviceRequest{.kind = "tpu", .count = 4}));
  EXPECT_EQ(spec.roles[0].ranks, 1);
}

TEST(SpecReaderTest, ParametersKeepTheirSpelling) {
  const JobSpec spec = Read(
      "run: x\nparameters: {lr: 1e-4, n: 3, r: 0.10, on: true, l: [1, 2.5, a], s: 'a b', v: "
      "1.10}\n");
  EXPECT_THAT(spec.roles[0].parameters,
              ElementsAre(Pair("lr", "1e-4"), Pair("n", "3"), Pair("r", "0.10"), Pair("on", "true"),
                          Pair("l", "1,2.5,a"), Pair("s", "a b"), Pair("v", "1.10")));
}

TEST(SpecReaderTest, CommandsAreTextsOrWordLists) {
  EXPECT_EQ(Read("run: python t.py && echo\n").roles[0].run.text, "python t.py && echo");
  EXPECT_THAT(Read("run: [python, t.py, --n, 3, '']\n").roles[0].run.words,
              ElementsAre("python", "t.py", "--n", "3", ""));
}

TEST(SpecReaderTest, DefaultNameComesFromCodeOrCommand) {
  EXPECT_EQ(Read("run: x\ncode: /home/me/resnet50/\n").name, "resnet50");
  EXPECT_EQ(Read("run: python -u src/train_it.py --x\n").name, "train_it");
  EXPECT_EQ(Read("run: [/usr/bin/nvidia-smi, -L]\n").name, "nvidia-smi");
  EXPECT_EQ(Read("run: x\ncode: ../..\n").name, "x");
  EXPECT_EQ(Read("run: ((true))\n").name, "true");
  EXPECT_EQ(Read("run: '?!'\n").name, "job");
  EXPECT_EQ(Read("run: x\ncode: './mein projekt äö'\n").name, "mein-projekt");
  EXPECT_EQ(Read("roles: {a: {run: main.sh}}\n").name, "main");
  EXPECT_EQ(Read("run: x\nname: 2024\n").name, "2024");
}

TEST(SpecReaderTest, RolesInheritAndOverride) {
  const JobSpec spec = Read(R"(
run: train.py
parameters: {a: 1, b: 2}
env: {X: job, Y: job}
roles:
  ps: {service: true, run: ps.py, parameters: {b: 3, c: 4}}
  worker: {nodes: 4, devices: gpu:2, env: {Y: worker}}
)");
  ASSERT_THAT(spec.roles, SizeIs(2));
  EXPECT_EQ(spec.roles[0].name, "ps");
  EXPECT_TRUE(spec.roles[0].service);
  EXPECT_EQ(spec.roles[0].run.text, "ps.py");
  EXPECT_EQ(spec.roles[0].devices, DeviceRequest{});
  EXPECT_THAT(spec.roles[0].parameters,
              ElementsAre(Pair("a", "1"), Pair("b", "3"), Pair("c", "4")));
  EXPECT_EQ(spec.roles[1].run.text, "train.py");
  EXPECT_EQ(spec.roles[1].nodes, 4);
  EXPECT_EQ(spec.roles[1].ranks, 2);
  EXPECT_THAT(spec.roles[1].env, ElementsAre(Pair("X", "job"), Pair("Y", "worker")));
}

TEST(SpecReaderTest, BuiltInVariablesAreThoseOfTheRole) {
  const JobSpec spec = Read(R"(
name: exp-${nodes}
run: x ${nodes} ${devices} ${ranks} ${name}
code: /code/${nodes}-${ranks}
roles: {a: {nodes: 2, devices: gpu:4}, b: {nodes: 3, ranks: 2}}
)");
  EXPECT_EQ(spec.name, "exp-5");
  EXPECT_EQ(spec.code, "/code/5-14");
  EXPECT_EQ(spec.roles[0].run.text, "x 2 4 8 exp-5");
  EXPECT_EQ(spec.roles[1].run.text, "x 3 1 6 exp-5");
}

TEST(SpecReaderTest, VariablesMayStandForNumbersAndBooleans) {
  const JobSpec spec = Read(R"(
variables: {n: 3, kind: npu, yes: true, t: 2h, when: ended, one: "${n}1"}
run: x
resources: {nodes: "${n}", devices: "${kind}:${n}"}
preemptible: ${yes}
limits: {time: "${t}"}
after: {job: "${one}", when: "${when}"}
)");
  EXPECT_EQ(spec.roles[0].nodes, 3);
  EXPECT_EQ(spec.roles[0].devices, (DeviceRequest{.kind = "npu", .count = 3}));
  EXPECT_TRUE(spec.preemptible);
  EXPECT_EQ(spec.time_limit_ms, 7'200'000);
  EXPECT_EQ(spec.after, (std::vector{AfterJob{.job = 31, .when = "ended"}}));
}

TEST(SpecReaderTest, ShellTextsKeepUnknownNames) {
  const JobSpec spec = Read(R"(
variables: {a: A}
run: echo ${a} ${HOME} $${a} ${X:-1}
env: {P: "${a}:${PATH}"}
hooks: {setup: "${a} ${USER}"}
)");
  EXPECT_EQ(spec.roles[0].run.text, "echo A ${HOME} ${a} ${X:-1}");
  EXPECT_EQ(spec.roles[0].env[0].second, "A:${PATH}");
  EXPECT_EQ(spec.hooks.setup, "A ${USER}");
}

TEST(SpecReaderTest, ReadsLimitsAndStop) {
  const JobSpec spec = Read(
      "run: x\nlimits: {time: 2h, warning: {signal: sigusr2, before: 90}}\nstop: {grace: 1m}\n");
  EXPECT_EQ(spec.time_limit_ms, 7'200'000);
  EXPECT_EQ(spec.warning_ms, 90'000);
  EXPECT_EQ(spec.warning_signal, "USR2");
  EXPECT_EQ(spec.grace_ms, 60'000);
  EXPECT_EQ(Read("run: x\nlimits: {time: 60, warning: {signal: none}}\n").warning_signal, "");
}

TEST(SpecReaderTest, ShortLimitsAreWarnedAtHalfTime) {
  EXPECT_EQ(Read("run: x\nlimits: {time: 30}\n").warning_ms, 15'000);
  EXPECT_EQ(Read("run: x\nlimits: {time: 61}\n").warning_ms, 60'000);
}

TEST(SpecReaderTest, AfterAcceptsEveryForm) {
  EXPECT_EQ(Read("run: x\nafter: 3\n").after, (std::vector{AfterJob{.job = 3}}));
  EXPECT_EQ(Read("run: x\nafter: [3, 4]\n").after,
            (std::vector{AfterJob{.job = 3}, AfterJob{.job = 4}}));
  EXPECT_EQ(Read("run: x\nafter: [{job: 3, when: ended}]\n").after,
            (std::vector{AfterJob{.job = 3, .when = "ended"}}));
}

TEST(SpecReaderTest, PlacesStayAsWritten) {
  const JobSpec spec =
      Read("run: x\ninputs: {a: ../d, b: file:///x}\noutputs: {o:, p: out}\ncode: .\n");
  EXPECT_THAT(spec.inputs, ElementsAre(Pair("a", "../d"), Pair("b", "file:///x")));
  EXPECT_THAT(spec.outputs, ElementsAre(Pair("o", ""), Pair("p", "out")));
  EXPECT_EQ(spec.code, ".");
}

TEST(SpecReaderTest, EmptyMapsCountAsAbsent) {
  EXPECT_EQ(Read("run: x\nparameters:\nenv:\nresources:\nlimits:\nhooks:\nsweep:\nvariables:\n"),
            Read("run: x\n"));
}

TEST(SpecReaderTest, ValuesAddedByTheServerAreKept) {
  const JobSpec spec =
      Read("run: x\nmuster: {code_hash: 00ff, sweep_group: sweep-1, sweep_values: {lr: 0.1}}\n");
  EXPECT_EQ(spec.code_hash, "00ff");
  EXPECT_EQ(spec.sweep_group, "sweep-1");
  EXPECT_THAT(spec.sweep_values, ElementsAre(Pair("lr", "0.1")));
}

}  // namespace
}  // namespace muster
