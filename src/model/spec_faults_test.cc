#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"

namespace muster {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<Fault> Faults(std::string_view text) {
  Marks marks;
  const auto document = ReadDocument(text, TextFormat::kGuess, &marks);
  if (!document) {
    ADD_FAILURE() << FaultText(document.error(), "job.yaml");
    return {};
  }
  const auto specs = ReadSpecs(*document, marks);
  if (!specs) return specs.error();
  ADD_FAILURE() << "was read: " << text;
  return {};
}

Fault OnlyFault(std::string_view text) {
  const auto faults = Faults(text);
  EXPECT_THAT(faults, SizeIs(1)) << text << "\n" << FaultText(faults, "job.yaml");
  return faults.empty() ? Fault{} : faults.front();
}

// The single fault of a job file that consists of `line` and a command.
std::string TextWith(std::string_view line) {
  return FaultText({OnlyFault("run: x\n" + std::string(line) + "\n")}, "job.yaml");
}

TEST(SpecFaultsTest, AllFaultsAreReportedAtOnceInTheOrderOfTheFile) {
  const auto faults = Faults(R"(nmae: x
workdir: rnak
resources:
  nodes: -1
  devices: npu:x
retries: many
run: train.py
env: {1X: 2}
)");
  EXPECT_EQ(FaultText(faults, "job.yaml"),
            R"(job.yaml:1:7: nmae: found an unknown key, expected a known key (did you mean "name"?)
job.yaml:2:10: workdir: found "rnak", expected one of node, rank, job (did you mean "rank"?)
job.yaml:4:10: resources.nodes: found -1, expected a whole number from 1 to 10000
job.yaml:5:12: resources.devices: found "npu:x", expected KIND:COUNT such as npu:8
job.yaml:6:10: retries: found "many", expected a whole number from 0 to 100
job.yaml:8:11: env.1X: found the name "1X", expected letters, digits and underscores, not a digit first
)");
}

TEST(SpecFaultsTest, PlatformsReserveNamesFoldersAndUsers) {
  EXPECT_EQ(TextWith("platform: modelart"),
            "job.yaml:2:11: platform: found \"modelart\", expected one of modelarts, modelarts-v1, "
            "apulis (did you mean \"modelarts\"?)\n");
  EXPECT_EQ(OnlyFault("run: x\nplatform: apulis\nworkdir: rank\n").path, "workdir");
  for (const char* user : {"../root", "a/b", "''", "."}) {
    const auto fault =
        OnlyFault(fmt::format("run: x\nplatform: apulis\nenv: {{DLWS_USER_NAME: {}}}\n", user));
    EXPECT_EQ(fault.path, "env.DLWS_USER_NAME") << user;
  }
  EXPECT_EQ(Faults("run: x\nplatform: x\nworkdir: rank\nretries: many\n").size(), 2u);
}

TEST(SpecFaultsTest, UnknownKeysWithoutASimilarKeyGetTheList) {
  EXPECT_EQ(OnlyFault("run: x\nhooks: {zzzzzzzz: x}\n").expected,
            "one of setup, on_stop, on_failure");
}

TEST(SpecFaultsTest, WrongTypesNameTheFoundValue) {
  EXPECT_EQ(OnlyFault("[1]").found, "a list");
  EXPECT_EQ(OnlyFault("just text").found, "\"just text\"");
  EXPECT_EQ(OnlyFault("run: {a: 1}").found, "a map");
  EXPECT_EQ(OnlyFault("run:").found, "nothing");
  EXPECT_EQ(OnlyFault("run: x\nresources: 3").found, "3");
  EXPECT_EQ(OnlyFault("run: x\nresources: {nodes: [2]}").found, "a list");
  EXPECT_EQ(OnlyFault("run: x\nresources: {nodes: 2.5}").found, "2.5");
  EXPECT_EQ(OnlyFault("run: x\nparameters: [a]").found, "a list");
  EXPECT_EQ(OnlyFault("run: x\nparameters: {a: {b: 1}}").path, "parameters.a");
  EXPECT_EQ(OnlyFault("run: x\nparameters: {a: [[1]]}").path, "parameters.a[0]");
  EXPECT_EQ(OnlyFault("run: x\nparameters: {a:}").found, "nothing");
  EXPECT_EQ(OnlyFault("run: x\nname: [a]").found, "a list");
  EXPECT_EQ(OnlyFault("run: [a, [b]]").path, "run[1]");
  EXPECT_EQ(OnlyFault("run: x\nhooks: {setup: [a]}").path, "hooks.setup");
  EXPECT_EQ(OnlyFault("run: x\nlabels: {a: [b]}").path, "labels.a");
  EXPECT_EQ(OnlyFault("run: x\nvariables: {a: [b]}").path, "variables.a");
  EXPECT_EQ(OnlyFault("run: x\nvariables: 3").found, "3");
  EXPECT_EQ(OnlyFault("run: x\nroles: [a]").found, "a list");
  EXPECT_EQ(OnlyFault("run: x\nroles: {a: 3}").path, "roles.a");
}

TEST(SpecFaultsTest, HugeAndNegativeNumbersAreFaults) {
  for (std::string_view number :
       {"-1", "0", "10001", "1e99", "-1e99", "1180591620717411303424", "9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "0x10", "1.0", ".inf", "2147483649"}) {
    const Fault fault = OnlyFault("run: x\nresources: {nodes: " + std::string(number) + "}\n");
    EXPECT_EQ(fault.path, "resources.nodes") << number;
    EXPECT_THAT(fault.found, HasSubstr(number));
    EXPECT_EQ(fault.expected, "a whole number from 1 to 10000");
  }
  EXPECT_EQ(OnlyFault(R"({"run": "x", "retries": 1e99})").found, "1e99");
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: gpu:99999999999999999999}\n").path,
            "resources.devices");
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: gpu:1025}\n").expected,
            "gpu:COUNT with COUNT from 1 to 1024");
  EXPECT_EQ(OnlyFault("run: x\nlimits: {time: 1e99}\n").path, "limits.time");
  EXPECT_EQ(OnlyFault("run: x\nlimits: {time: -5}\n").found, "-5");
  EXPECT_EQ(OnlyFault("run: x\nresources: {memory: 99999999999999T}\n").path, "resources.memory");
  EXPECT_EQ(OnlyFault("run: x\npriority: 1001\n").expected, "a whole number from -1000 to 1000");
  EXPECT_EQ(OnlyFault("run: x\nafter: 0\n").path, "after");
}

TEST(SpecFaultsTest, JobsAboveTheTotalSizeAreFaults) {
  EXPECT_EQ(OnlyFault("run: x\nresources: {nodes: 10000, ranks: 11}\n").found,
            "110000 ranks in all");
  EXPECT_EQ(OnlyFault("run: x\nroles: {a: {nodes: 6000}, b: {nodes: 6000}}\n").found,
            "12000 nodes in all");
}

TEST(SpecFaultsTest, QuotedNumbersAndYaml11BooleansGetAHint) {
  EXPECT_EQ(OnlyFault("run: x\nretries: '3'\n").hint, "write it without quotes");
  EXPECT_EQ(OnlyFault("run: x\npreemptible: yes\n").hint,
            "\"yes\" is text in YAML 1.2: write true");
  EXPECT_EQ(OnlyFault("run: x\npreemptible: Off\n").hint,
            "\"Off\" is text in YAML 1.2: write false");
}

TEST(SpecFaultsTest, DevicesGetAHint) {
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: 8}\n").hint, "say of which kind, as in gpu:8");
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: npu}\n").hint, "say how many, as in npu:1");
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: NPU:8}\n").hint, "write npu in small letters");
  EXPECT_EQ(OnlyFault("run: x\nresources: {devices: {cuont: 8}}\n").hint,
            "did you mean \"count\"?");
}

TEST(SpecFaultsTest, FrameworksAndTheirWaysOfStartingAreListed) {
  EXPECT_THAT(TextWith("framework: pytorhc"),
              AllOf(HasSubstr("framework: found \"pytorhc\", expected one of custom, pytorch"),
                    HasSubstr("(did you mean \"pytorch\"?)")));
  EXPECT_EQ(TextWith("framework: pytorch\nlaunch: {start: torchrn}"),
            "job.yaml:3:17: launch.start: found \"torchrn\", expected a way to start pytorch: "
            "auto, env, torchrun (did you mean \"torchrun\"?)\n");
  EXPECT_THAT(TextWith("framework: custom\nlaunch: {start: torchrun}"),
              HasSubstr("expected a way to start custom: auto"));
  EXPECT_THAT(TextWith("launch: {version: latest}"), HasSubstr("a version such as 1.8.5"));
  EXPECT_THAT(TextWith("launch: {rank_table: 3}"), HasSubstr("lab, cloud, 1.0, 1.1, 1.2"));
  EXPECT_THAT(TextWith("launch: {interface: \"a b\"}"), HasSubstr("such as eth0"));
  EXPECT_EQ(OnlyFault("run: x\nimage: a/b\n").hint, "this key is not supported by this version");
}

TEST(SpecFaultsTest, BootFileInABucketMustNameAFile) {
  for (const char* run : {"s3://.py", "s3://bucket", "obs://bucket/code/", "s3://b/train.py"}) {
    const Fault fault = OnlyFault(std::string("run: ") + run + "\n");
    EXPECT_EQ(fault.path, "run") << run;
    EXPECT_NE(fault.hint, "") << run;
  }
}

TEST(SpecFaultsTest, BootFileInABucketMustBeInsideTheCode) {
  for (const char* code : {"s", "/home/me", "s3://other", "s3://bkt/code/deeper", "s3://bkt/cod"}) {
    const Fault fault = OnlyFault(fmt::format("run: s3://bkt/code/train.py\ncode: {}\n", code));
    EXPECT_EQ(fault.path, "run") << code;
    EXPECT_EQ(fault.expected, fmt::format("a boot file inside of the code, {}", code));
  }
  EXPECT_EQ(OnlyFault("roles:\n  a: {run: s3://bkt/a/x.py}\n  b: {run: s3://bkt/b/x.py}\n").path,
            "roles.b.run");
}

TEST(SpecFaultsTest, InvalidPlacesAreExplained) {
  for (std::string_view line : {"outputs: {o: s3://b/x}", "code: s3://b", "logs: obs://"}) {
    EXPECT_THAT(TextWith(line), HasSubstr("a bucket's name has 3 to 255")) << line;
  }
  for (std::string_view line : {"code: https://x/y.git", "code: OBS://bkt/x", "logs: ftp://x/y"}) {
    EXPECT_EQ(OnlyFault("run: x\n" + std::string(line) + "\n").expected,
              "a folder, s3://BUCKET/PREFIX or obs://BUCKET/PREFIX");
  }
}

TEST(SpecFaultsTest, KeyOutsideItsSectionNamesTheSection) {
  EXPECT_EQ(OnlyFault("run: x\nnodes: 2\n").hint,
            "it belongs to `resources`: resources: {nodes: …}");
  EXPECT_EQ(OnlyFault("run: x\ntime: 3h\n").hint, "it belongs to `limits`: limits: {time: …}");
  EXPECT_THAT(OnlyFault("run: x\nresources: {time: 3h}\n").expected, HasSubstr("one of"));
}

TEST(SpecFaultsTest, NamesAreChecked) {
  for (std::string_view name : {"'-x'", "'a b'", "é", "''", "'a/b'", "'../x'", "'a\tb'"}) {
    EXPECT_EQ(OnlyFault("run: x\nname: " + std::string(name) + "\n").path, "name") << name;
  }
  EXPECT_EQ(OnlyFault("run: x\nname: " + std::string(64, 'a') + "\n").path, "name");
  EXPECT_EQ(OnlyFault("run: x\nenv: {MUSTER_ATTEMPT: 1}\n").expected,
            "a name that does not begin with MUSTER_");
  EXPECT_EQ(OnlyFault("run: x\nenv: {'A=B': 1}\n").path, "env.A=B");
  EXPECT_EQ(OnlyFault("run: x\nparameters: {--lr: 1}\n").hint, "write it without the dashes: lr");
  EXPECT_EQ(OnlyFault("run: x\nroles: {'a b': {}}\n").path, "roles.a b");
  EXPECT_EQ(OnlyFault("run: x\nmuster: {code_hash: ../../etc}\n").path, "muster.code_hash");
}

TEST(SpecFaultsTest, NothingToRunIsOneFault) {
  EXPECT_EQ(TextWith("run2: y").substr(0, 25), "job.yaml:2:7: run2: found");
  EXPECT_EQ(OnlyFault("name: x\n").path, "run");
  EXPECT_EQ(OnlyFault("roles: {a: {run: x}, b: {}}\n").path, "roles.b.run");
  EXPECT_EQ(OnlyFault("run: ''\n").found, "an empty text");
  EXPECT_EQ(OnlyFault("run: '  '\n").found, "an empty text");
  EXPECT_EQ(OnlyFault("run: []\n").found, "an empty list");
  EXPECT_EQ(OnlyFault("run: ['']\n").found, "an empty first word");
  EXPECT_EQ(OnlyFault("run: \"python 'x\"\n").expected, "a command with its quotes closed");
}

TEST(SpecFaultsTest, RolesExcludeThePlainForm) {
  const auto faults =
      Faults("roles: {a: {run: x}}\nresources: {nodes: 2, devices: gpu:1, ranks: 1}\n");
  EXPECT_THAT(faults, ElementsAre(Field(&Fault::path, "resources.nodes"),
                                  Field(&Fault::path, "resources.devices"),
                                  Field(&Fault::path, "resources.ranks")));
  EXPECT_EQ(OnlyFault("run: x\nroles: {}\n").found, "0 roles");
  std::string many = "roles:\n";
  for (int i = 0; i < 17; ++i) many += "  r" + std::to_string(i) + ": {run: x}\n";
  EXPECT_EQ(OnlyFault(many).found, "17 roles");
  EXPECT_EQ(OnlyFault("run: x\nroles: {a: {service: true}}\n").found, "service roles only");
  EXPECT_EQ(OnlyFault("run: x\nroles: {a: {nods: 1}}\n").hint, "did you mean \"nodes\"?");
}

TEST(SpecFaultsTest, InheritedFaultsAreReportedOnce) {
  EXPECT_EQ(OnlyFault("run: x\nparameters: {a: '${b}'}\nroles: {c: {}, d: {}}\n").path,
            "parameters.a");
}

TEST(SpecFaultsTest, UnknownVariablesAreFaultsExceptInShellText) {
  const Fault fault = OnlyFault("run: x\nvariables: {root: /d}\ncode: '${rot}/x'\n");
  EXPECT_EQ(fault.path, "code");
  EXPECT_EQ(fault.found, "the unknown variable ${rot}");
  EXPECT_EQ(fault.hint, "did you mean \"root\"?");
  EXPECT_EQ(OnlyFault("run: x\ncode: '${HOME}'\n").hint,
            "write $${HOME} to keep the text as it is");
  EXPECT_EQ(OnlyFault("run: x\ncode: '${a'\n").expected, "a variable such as ${name}");
  EXPECT_EQ(OnlyFault("run: x\nresources: {nodes: '${nodes}'}\n").path, "resources.nodes");
  EXPECT_EQ(OnlyFault("run: x\nname: '${name}'\n").path, "name");
}

TEST(SpecFaultsTest, VariablesThatReferToThemselvesAreFaults) {
  const Fault fault = OnlyFault("variables: {a: '${b}', b: '${a}'}\nrun: '${a} x'\n");
  EXPECT_EQ(fault.path, "variables.a");
  EXPECT_EQ(fault.found, "a variable that refers to itself: a → b → a");
  EXPECT_EQ(OnlyFault("variables: {a: '${a}'}\nrun: '${a}'\nresources: {nodes: '${a}'}\n").path,
            "variables.a");
  EXPECT_EQ(OnlyFault("run: x\nvariables: {a: '${zz}'}\nresources: {nodes: '${a}'}\n").path,
            "variables.a");
  EXPECT_EQ(OnlyFault("variables: {a: '${zz}'}\nrun: x\ncode: '${a}'\n").path, "variables.a");
  EXPECT_EQ(OnlyFault("variables: {nodes: 3}\nrun: x\n").hint,
            "nodes, devices, ranks, name and job_id are taken");
  EXPECT_EQ(OnlyFault("variables: {'a b': 3}\nrun: x\n").found, "the name \"a b\"");
}

TEST(SpecFaultsTest, ExponentialVariablesAreFaults) {
  std::string text = "run: '${v30}'\nvariables:\n  v0: xxxxxxxxxx\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string before = "${v" + std::to_string(i - 1) + "}";
    text += "  v" + std::to_string(i) + ": '" + before + before + "'\n";
  }
  EXPECT_THAT(Faults(text), Contains(AllOf(Field(&Fault::path, "run"),
                                           Field(&Fault::found, HasSubstr("too large")))));
}

TEST(SpecFaultsTest, WarningsRequireALimitAndFitIntoIt) {
  EXPECT_EQ(OnlyFault("run: x\nlimits: {warning: {signal: USR1}}\n").path, "limits.warning");
  EXPECT_EQ(OnlyFault("run: x\nlimits: {time: 30, warning: {before: 60}}\n").path,
            "limits.warning.before");
  EXPECT_EQ(OnlyFault("run: x\nlimits: {time: 30, warning: {signal: KILL}}\n").hint,
            "a program cannot catch it, so it warns of nothing");
  EXPECT_EQ(OnlyFault("run: x\nlimits: {time: 30, warning: {signal: USR3}}\n").path,
            "limits.warning.signal");
}

TEST(SpecFaultsTest, AfterIsChecked) {
  EXPECT_EQ(OnlyFault("run: x\nafter: soon\n").path, "after");
  EXPECT_EQ(OnlyFault("run: x\nafter: [1, -2]\n").path, "after[1]");
  EXPECT_EQ(OnlyFault("run: x\nafter: {when: ended}\n").found, "no job");
  EXPECT_EQ(OnlyFault("run: x\nafter: {job: 3, when: done}\n").path, "after.when");
  EXPECT_EQ(OnlyFault("run: x\nafter: [3, 3]\n").found, "job 3 a second time");
}

TEST(SpecFaultsTest, InputsAndOutputsHaveDifferentNames) {
  EXPECT_EQ(OnlyFault("run: x\ninputs: {a: /x}\noutputs: {a: /y}\n").path, "outputs.a");
  EXPECT_EQ(OnlyFault("run: x\ninputs: {a:}\n").found, "nothing");
}

TEST(SpecFaultsTest, LongAndUnprintableTextsAreShortened) {
  const Fault fault = OnlyFault("run: x\nname: \"\\e[31m" + std::string(5000, 'x') + "\"\n");
  EXPECT_LT(fault.found.size(), 100u);
  EXPECT_EQ(fault.found.find('\x1b'), std::string::npos);
}

TEST(SpecFaultsTest, ManyFaultsAreReadQuicklyAndShownInPart) {
  std::string text = "run: x\n";
  for (int i = 0; i < 5000; ++i) text += "unknown_key_number_" + std::to_string(i) + ": 1\n";
  const auto faults = Faults(text);
  EXPECT_THAT(faults, SizeIs(1000));
  EXPECT_THAT(FaultText(faults, "f"), HasSubstr("and 900 more faults"));
}

TEST(SpecFaultsTest, DocumentsWithoutMarksHaveNoLines) {
  const auto specs = ReadSpecs(json::object{{"run", "x"}, {"retries", -1}}, {});
  ASSERT_FALSE(specs);
  EXPECT_EQ(specs.error()[0].line, 0);
  EXPECT_EQ(FaultText(specs.error(), ""),
            "retries: found -1, expected a whole number from 0 to 100\n");
  const json::value uint = json::object{{"run", "x"}, {"retries", UINT64_MAX}};
  EXPECT_FALSE(ReadSpecs(uint, {}));
  const json::value nul = json::object{{"run", json::string(std::string_view("a\0b", 3))}};
  EXPECT_FALSE(ReadSpecs(nul, {}));
}

}  // namespace
}  // namespace muster
