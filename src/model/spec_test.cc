#include "model/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/spec_reader.h"
#include "model/spec_samples.h"

namespace muster {
namespace {

std::vector<JobSpec> Read(std::string_view text) {
  const auto document = ReadDocument(text, TextFormat::kGuess, nullptr);
  if (!document) {
    ADD_FAILURE() << FaultText(document.error(), "sample");
    return {};
  }
  auto specs = ReadSpecs(*document, {});
  if (!specs) {
    ADD_FAILURE() << FaultText(specs.error(), "sample");
    return {};
  }
  return *specs;
}

// Through the document, and through the text of spec.json.
void ExpectRoundTrip(const JobSpec& spec) {
  const json::object normal = ToJsonObject(spec);
  const auto again = ReadSpecs(normal, {});
  ASSERT_TRUE(again) << FaultText(again.error(), "") << ToPrettyJson(normal);
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ(again->front(), spec) << ToPrettyJson(normal)
                                  << ToPrettyJson(ToJsonObject((*again)[0]));
  const auto text = ReadDocument(ToPrettyJson(normal), TextFormat::kJson, nullptr);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, json::value(normal));
}

TEST(SpecTest, NormalFormOfEverySampleRoundTrips) {
  for (std::string_view sample : kGoodSamples) {
    SCOPED_TRACE(sample);
    for (const JobSpec& spec : Read(sample)) ExpectRoundTrip(spec);
  }
}

TEST(SpecTest, NormalFormKeepsValuesAddedByTheServer) {
  for (std::string_view sample : kGoodSamples) {
    SCOPED_TRACE(sample);
    for (JobSpec spec : Read(sample)) {
      spec.code_hash = std::string(64, 'a');
      spec.sweep_group = "sweep-17";
      spec.sweep_values = {{"lr", "0.1"}, {"opt", "a ${b} $${c}"}};
      ExpectRoundTrip(spec);
    }
  }
}

TEST(SpecTest, NormalFormKeepsTextThatLooksLikeOtherTypes) {
  for (std::string_view word :
       {"true", "null", "1e5", "007", "${name}", "$${x}", " a ", "a\nb", "é"}) {
    JobSpec spec = Read("run: x\n").front();
    spec.roles[0].parameters = {{"p", std::string(word)}};
    spec.roles[0].env = {{"E", std::string(word)}};
    spec.labels = {{"l", std::string(word)}};
    spec.inputs = {{"i", std::string(word)}};
    spec.hooks.setup = std::string(word);
    spec.roles[0].run = {.text = {}, .words = {"prog", std::string(word), ""}};
    SCOPED_TRACE(word);
    ExpectRoundTrip(spec);
  }
}

TEST(SpecTest, NormalFormKeepsMilliseconds) {
  JobSpec spec = Read("run: x\n").front();
  spec.time_limit_ms = 1'500;
  spec.warning_ms = 1'250;
  spec.grace_ms = 1;
  ExpectRoundTrip(spec);
}

TEST(SpecTest, TotalsIncludeAllRoles) {
  const JobSpec spec =
      Read("run: x\nroles: {a: {nodes: 2, devices: gpu:4}, b: {nodes: 3, ranks: 2}}\n").front();
  EXPECT_EQ(spec.TotalNodes(), 5);
  EXPECT_EQ(spec.TotalRanks(), 14);
}

}  // namespace
}  // namespace muster
